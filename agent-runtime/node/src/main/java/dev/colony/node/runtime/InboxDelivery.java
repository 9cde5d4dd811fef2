package dev.colony.node.runtime;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.client.AgentSignal;
import dev.colony.client.RunPlace;
import dev.colony.client.StoredRun;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.client.session.ResultPublisher;
import dev.colony.client.session.ResultPublisher.RunRecorder;
import dev.colony.core.dispatch.Backoff;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.entity.EntityClient.AcceptReply;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a batch of messages to their agents. A request is done with when its agent has journaled it
 * or when its result, be it a refusal, is on the blackboard, or when the request is no longer
 * there; only then is it acknowledged, and so is a wake when its agent has journaled that it will
 * see to it. Whatever fails in between stays, and is counted where its agent is the reason; what
 * failed too often becomes a dead letter.
 */
final class InboxDelivery {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();
  private static final Logger LOG = LoggerFactory.getLogger(InboxDelivery.class);

  private final Blackboards blackboards;
  private final AgentDirectory directory;
  private final ResultPublisher results;
  private final RunRecorder recorder;
  private final SignalDelivery.WakeDelivery wakes;
  private final SignalDelivery signals;
  private final EntityClient entities;
  private final AtomicBoolean refused = new AtomicBoolean();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicLong attempts = new AtomicLong();
  private final String process = UUID.randomUUID().toString();
  private final int maxDeliveries;

  InboxDelivery(
      Blackboards blackboards,
      AgentDirectory directory,
      ResultPublisher results,
      RunRecorder recorder,
      SignalDelivery.WakeDelivery wakes,
      SignalDelivery signals,
      EntityClient entities,
      int maxDeliveries) {
    this.blackboards = blackboards;
    this.directory = directory;
    this.results = results;
    this.recorder = recorder;
    this.wakes = wakes;
    this.signals = signals;
    this.entities = entities;
    this.maxDeliveries = maxDeliveries;
  }

  /** What is known of a message before it is sent on. */
  private record Prepared(
      InboxMessage.Request message,
      AgentId agent,
      RunRequest request,
      Optional<AgentRun> finished,
      Optional<DirectoryEntry> entry) {}

  /** What became of a delivery. */
  enum Outcome {
    /** The message is gone from the inbox. */
    DONE,
    /** It has become a dead letter. */
    BURIED,
    /** Its agent takes nothing more for now. */
    BUSY,
    /** It failed, and was counted. */
    FAILED,
    /** It failed for what is not the agent's doing. */
    PUT_OFF
  }

  /**
   * A message to deliver.
   *
   * @param attempt tells this delivery from others of the message
   * @param lastTry whether it becomes a dead letter if this delivery fails
   */
  record Parcel(InboxMessage message, long attempt, boolean lastTry) {}

  /** Is told on any thread what became of a message. */
  @FunctionalInterface
  interface Through {
    void accept(Parcel parcel, Outcome outcome);
  }

  /**
   * Delivers a batch. Requests are sent one after the other, so that those of one scope arrive in
   * their order; each message is acknowledged by itself, so that none waits for the slowest.
   *
   * @param counts whether an agent that does not answer has no excuse, asked when it did not
   */
  void deliver(int bucket, List<Parcel> batch, BooleanSupplier counts, Through through) {
    underWay.addAndGet(batch.size());
    List<CompletableFuture<Optional<Prepared>>> prepared = new ArrayList<>();
    List<Parcel> requests = new ArrayList<>();
    for (Parcel parcel : batch) {
      Delivery one = new Delivery(bucket, parcel, counts, through);
      switch (parcel.message()) {
        case InboxMessage.Wake wake -> one.over(begun(() -> taken(wakes.wake(wake))));
        case InboxMessage.Request entered when AgentDirectory.enters(entered) ->
            one.over(begun(() -> taken(wakes.start(entered))));
        case InboxMessage.Request request -> {
          Optional<AgentSignal> signal = AgentSignal.of(request);
          if (signal.isPresent()) {
            one.over(begun(() -> signals.deliver(request, signal.get())));
          } else {
            requests.add(parcel);
            prepared.add(begun(() -> prepare(request)).toCompletableFuture());
          }
        }
      }
    }
    CompletableFuture.allOf(prepared.toArray(CompletableFuture[]::new))
        .whenComplete((all, anyFailure) -> {
          for (int i = 0; i < requests.size(); i++) {
            Parcel parcel = requests.get(i);
            new Delivery(bucket, parcel, counts, through)
                .over(
                    prepared
                        .get(i)
                        .thenCompose(known ->
                            known
                                .map(one -> send(bucket, one))
                                .orElseGet(() -> taken(parcel.message()))));
          }
        });
  }

  /** A delivery that fails before it has begun fails as any other, and its reader goes on. */
  private static <T> CompletionStage<T> begun(Supplier<CompletionStage<T>> delivery) {
    try {
      return delivery.get();
    } catch (RuntimeException failure) {
      return CompletableFuture.failedStage(failure);
    }
  }

  /** The message to acknowledge, or empty if it is to wait because its agent is busy. */
  private static CompletionStage<Optional<InboxMessage>> taken(InboxMessage message) {
    return CompletableFuture.completedStage(Optional.of(message));
  }

  private static CompletionStage<Optional<InboxMessage>> taken(
      CompletionStage<InboxMessage> delivered) {
    return delivered.thenApply(Optional::of);
  }

  /** Messages that are not through yet. */
  int underWay() {
    return underWay.get();
  }

  /** One delivery of one message, from its answer on. */
  private final class Delivery {

    private final int bucket;
    private final Parcel parcel;
    private final BooleanSupplier counts;
    private final Through through;

    Delivery(int bucket, Parcel parcel, BooleanSupplier counts, Through through) {
      this.bucket = bucket;
      this.parcel = parcel;
      this.counts = counts;
      this.through = through;
    }

    void over(CompletionStage<Optional<InboxMessage>> delivered) {
      delivered
          .thenCompose(taken ->
              taken.isEmpty()
                  ? CompletableFuture.completedStage(Outcome.BUSY)
                  : acknowledge(taken.get()).thenApply(done -> Outcome.DONE))
          .exceptionallyCompose(failure -> failed(Backoff.cause(failure)))
          .whenComplete((outcome, failure) -> {
            underWay.decrementAndGet();
            report(failure);
            through.accept(parcel, failure == null ? outcome : Outcome.PUT_OFF);
          });
    }

    private CompletionStage<Void> acknowledge(InboxMessage done) {
      return blackboards
          .inbox()
          .acknowledge(bucket, List.of(done))
          .thenAccept(acknowledged -> refused.set(false));
    }

    /** News of writes stay for as long as it takes: there is one at most for an agent and scope. */
    private CompletionStage<Outcome> failed(Throwable cause) {
      if (!agentsDoing(cause) || !counts.getAsBoolean()) {
        return CompletableFuture.failedStage(cause);
      }
      LOG.debug("a message was not accepted and stays in the inbox", cause);
      if (!(parcel.message() instanceof InboxMessage.Request request)) {
        return CompletableFuture.completedStage(Outcome.FAILED);
      }
      String attempt = process + "/" + attempts.incrementAndGet();
      return blackboards
          .inbox()
          .failed(bucket, request.id(), attempt)
          .thenCompose(failures ->
              failures.count() == 0
                  ? CompletableFuture.completedStage(Outcome.DONE)
                  : parcel.lastTry() || failures.count() >= maxDeliveries
                      ? bury(bucket, request, failures, cause).thenApply(done -> Outcome.BURIED)
                      : CompletableFuture.completedStage(Outcome.FAILED));
    }
  }

  /** Whether a delivery failed for what the blackboard or this node is not the reason of. */
  private static boolean agentsDoing(Throwable cause) {
    return switch (cause) {
      case BlackboardException board ->
          switch (board.reason()) {
            case ACCESS_DENIED, INVALID_VALUE, INTERNAL -> true;
            default -> false;
          };
      default -> true;
    };
  }

  /** The run's result comes first: with the message gone, nothing else would lead to it. */
  private CompletionStage<Void> bury(
      int bucket, InboxMessage.Request request, Inbox.Failures failures, Throwable cause) {
    String why = Optional.ofNullable(cause.getMessage()).orElse(cause.toString());
    String reason =
        "%d deliveries to %s failed, the last by: %s"
            .formatted(failures.count(), request.recipient(), why.lines().findFirst().orElse(""));
    return refusal(request, "the request became a dead letter of the inbox: " + reason)
        .thenCompose(published -> blackboards.inbox().bury(bucket, request, 0, reason))
        .thenAccept(moved -> {
          if (moved) {
            LOG.warn(
                "request {} of {} became a dead letter of bucket {}: {}",
                request.key(),
                request.scope(),
                bucket,
                reason);
          }
        });
  }

  /** Publishes the result of a run that cannot be accepted; what is no run has none. */
  private CompletionStage<?> refusal(InboxMessage.Request message, String reason) {
    if (AgentDirectory.enters(message) || AgentSignal.of(message).isPresent()) {
      return CompletableFuture.completedStage(null);
    }
    try {
      AgentId agent = AgentId.parse(message.recipient());
      RunRequest request = RunRequest.fromJson(message.value());
      return results.publish(
          agent, request, AgentRun.neverAccepted(request.runId(), reason), Optional.empty());
    } catch (IllegalArgumentException | DateTimeException malformed) {
      return refuseMalformed(message, malformed.getMessage());
    }
  }

  /** What the blackboard refuses has to be mended. */
  private void report(Throwable failure) {
    boolean refusal =
        Backoff.cause(failure) instanceof BlackboardException board && !board.retryable();
    if (refusal && !refused.getAndSet(true)) {
      LOG.warn(
          "messages stay in the inbox: {}; trying again until it works",
          Backoff.cause(failure).getMessage());
    } else if (failure != null) {
      LOG.debug("a message was not accepted and stays in the inbox", failure);
    }
  }

  /** Empty for a request that nothing can be done with. */
  private CompletionStage<Optional<Prepared>> prepare(InboxMessage.Request message) {
    AgentId agent;
    RunRequest request;
    RunPlace place;
    try {
      ValueRules.check("it", message.value());
      agent = AgentId.parse(message.recipient());
      request = RunRequest.fromJson(message.value());
      place = RunPlace.of(agent, request.namespace(), request.runId());
      if (!message.key().equals(place.requestKey()) || !message.scope().equals(place.scope())) {
        throw new IllegalArgumentException("it names another run, agent or namespace");
      }
      if (request.namespace().equals(EventBatch.NAMESPACE)) {
        throw new IllegalArgumentException(
            "the namespace " + EventBatch.NAMESPACE + " is for runs that events start");
      }
    } catch (IllegalArgumentException | DateTimeException malformed) {
      return refuseMalformed(message, malformed.getMessage());
    }
    return StoredRun.read(place, blackboards.open(message.scope(), agent.persistenceId()))
        .thenCombine(
            directory.find(agent),
            (stored, entry) ->
                // One that is gone has expired with its result.
                stored.gone()
                    ? Optional.empty()
                    : Optional.of(new Prepared(message, agent, request, stored.end(), entry)));
  }

  /** Completes when the request is done with, or its agent is busy. */
  private CompletionStage<Optional<InboxMessage>> send(int bucket, Prepared prepared) {
    if (prepared.finished().isPresent()) {
      return finished(bucket, prepared.message(), prepared.finished().get());
    }
    if (prepared.entry().isEmpty()) {
      return refuse(prepared, "there is no agent " + prepared.agent());
    }
    return recorder
        .admit(prepared.agent(), prepared.request())
        .thenCompose(
            refusal -> refusal.isPresent() ? refuse(prepared, refusal.get()) : accept(prepared));
  }

  /** A crash may have come between the result of a dead letter and the dead letter. */
  private CompletionStage<Optional<InboxMessage>> finished(
      int bucket, InboxMessage.Request message, AgentRun run) {
    return !run.refused()
        ? taken(message)
        : blackboards
            .inbox()
            .bury(bucket, message, maxDeliveries, run.error().orElse(""))
            .thenApply(moved -> Optional.of(message));
  }

  private CompletionStage<Optional<InboxMessage>> accept(Prepared prepared) {
    return entities
        .accept(prepared.entry().get().unit(), prepared.agent(), prepared.request())
        .thenCompose(reply ->
            switch (reply) {
              case AcceptReply.Accepted accepted -> taken(prepared.message());
              case AcceptReply.Rejected rejected -> refuse(prepared, rejected.reason());
              case AcceptReply.Busy busy -> CompletableFuture.completedStage(Optional.empty());
            });
  }

  private CompletionStage<Optional<InboxMessage>> refuse(Prepared prepared, String reason) {
    AgentRun run = AgentRun.neverAccepted(prepared.request().runId(), reason);
    return results
        .publish(prepared.agent(), prepared.request(), run, Optional.empty())
        .thenApply(written -> Optional.of(prepared.message()));
  }

  private CompletionStage<Optional<Prepared>> refuseMalformed(InboxMessage message, String why) {
    LOG.warn("request {} of {} is dropped: {}", message.key(), message.scope(), why);
    Optional<String> runId = PROTOCOL.requestId(message.key());
    if (runId.isEmpty()) {
      return CompletableFuture.completedStage(Optional.empty());
    }
    AgentRun run =
        AgentRun.neverAccepted(new RunId(runId.get()), "the request is malformed: " + why);
    return results
        .publish(message.recipient(), message.scope(), message.key(), run)
        .thenApply(written -> Optional.empty());
  }
}
