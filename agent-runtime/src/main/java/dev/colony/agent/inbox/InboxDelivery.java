package dev.colony.agent.inbox;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.client.AgentSignal;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.directory.DirectoryEntry;
import dev.colony.agent.entity.AcceptReply;
import dev.colony.agent.entity.AgentDoor;
import dev.colony.agent.retry.Backoff;
import dev.colony.agent.session.ResultPublisher;
import dev.colony.agent.session.RunRecorder;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.value.ValueRules;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a batch of messages to their agents. A request is done with when its agent has journaled it
 * or when its result, be it a refusal, is on the blackboard, or when the request is no longer
 * there; only then is it acknowledged, and so is a wake when its agent has journaled that it will
 * see to it. Whatever fails in between is left for the next reading.
 */
final class InboxDelivery {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();
  private static final Logger LOG = LoggerFactory.getLogger(InboxDelivery.class);

  private final Blackboards blackboards;
  private final AgentDirectory directory;
  private final ResultPublisher results;
  private final RunRecorder recorder;
  private final WakeDelivery wakes;
  private final SignalDelivery signals;
  private final AgentDoor door;
  private final AtomicBoolean refused = new AtomicBoolean();
  private final AtomicInteger underWay = new AtomicInteger();

  InboxDelivery(
      Blackboards blackboards,
      AgentDirectory directory,
      ResultPublisher results,
      RunRecorder recorder,
      WakeDelivery wakes,
      SignalDelivery signals,
      AgentDoor door) {
    this.blackboards = blackboards;
    this.directory = directory;
    this.results = results;
    this.recorder = recorder;
    this.wakes = wakes;
    this.signals = signals;
    this.door = door;
  }

  /** What is known of a message before it is sent on. */
  private record Prepared(
      InboxMessage.Request message,
      AgentId agent,
      RunRequest request,
      boolean finished,
      Optional<DirectoryEntry> entry) {}

  /** Is told on any thread that a message is through, and whether for good. */
  @FunctionalInterface
  interface Through {
    void accept(String id, boolean done);
  }

  /**
   * Delivers a batch. Requests are sent one after the other, so that those of one scope arrive in
   * their order; each message is acknowledged by itself, so that none waits for the slowest.
   */
  void deliver(int bucket, List<InboxMessage> batch, Through through) {
    underWay.addAndGet(batch.size());
    List<CompletableFuture<Optional<Prepared>>> prepared = new ArrayList<>();
    List<InboxMessage.Request> requests = new ArrayList<>();
    for (InboxMessage message : batch) {
      switch (message) {
        case InboxMessage.Wake wake -> acknowledge(bucket, wake, wakes.wake(wake), through);
        case InboxMessage.Request entered when AgentDirectory.enters(entered) ->
            acknowledge(bucket, entered, wakes.start(entered), through);
        case InboxMessage.Request request -> {
          Optional<AgentSignal> signal = AgentSignal.of(request);
          if (signal.isPresent()) {
            acknowledge(bucket, request, signals.deliver(request, signal.get()), through);
          } else {
            requests.add(request);
            prepared.add(prepare(request).toCompletableFuture());
          }
        }
      }
    }
    CompletableFuture.allOf(prepared.toArray(CompletableFuture[]::new))
        .whenComplete((all, anyFailure) -> {
          for (int i = 0; i < requests.size(); i++) {
            InboxMessage.Request request = requests.get(i);
            acknowledge(
                bucket,
                request,
                prepared
                    .get(i)
                    .thenCompose(known ->
                        known
                            .map(this::send)
                            .orElseGet(() -> CompletableFuture.completedStage(null)))
                    .thenApply(done -> request),
                through);
          }
        });
  }

  /** Messages that are not through yet. */
  int underWay() {
    return underWay.get();
  }

  private void acknowledge(
      int bucket,
      InboxMessage message,
      CompletionStage<? extends InboxMessage> delivered,
      Through through) {
    delivered
        .thenCompose(done -> blackboards.inbox().acknowledge(bucket, List.of(done)))
        .whenComplete((acknowledged, failure) -> {
          underWay.decrementAndGet();
          report(failure);
          through.accept(message.id(), failure == null);
        });
  }

  /**
   * An agent that does not answer is nobody's fault; what the blackboard refuses has to be mended.
   */
  private void report(Throwable failure) {
    boolean refusal =
        Backoff.cause(failure) instanceof BlackboardException board && !board.retryable();
    if (refusal && !refused.getAndSet(true)) {
      LOG.warn(
          "messages stay in the inbox: {}; trying again until it works",
          Backoff.cause(failure).getMessage());
    } else if (failure == null) {
      refused.set(false);
    } else {
      LOG.debug("a message was not accepted and stays in the inbox", failure);
    }
  }

  /** Empty for a request that nothing can be done with. */
  private CompletionStage<Optional<Prepared>> prepare(InboxMessage.Request message) {
    AgentId agent;
    RunRequest request;
    try {
      ValueRules.check("it", message.value());
      agent = AgentId.parse(message.recipient());
      request = RunRequest.fromJson(message.value());
      if (!message.key().equals(PROTOCOL.requestKey(agent.name(), request.runId().value()))
          || !message.scope().equals(agent.scope().namespace(request.namespace()))) {
        throw new IllegalArgumentException("it names another run, agent or namespace");
      }
      if (request.namespace().equals(EventBatch.NAMESPACE)) {
        throw new IllegalArgumentException(
            "the namespace " + EventBatch.NAMESPACE + " is for runs that events start");
      }
    } catch (IllegalArgumentException | DateTimeException malformed) {
      return refuseMalformed(message, malformed.getMessage());
    }
    CompletionStage<Boolean> finished =
        blackboards
            .open(message.scope(), agent.persistenceId())
            .readAll(List.of(message.key(), PROTOCOL.resultKey(request.runId().value())))
            // Alone there is only a request without a result; one that is gone has expired with it.
            .thenApply(
                entries -> entries.size() != 1 || !entries.getFirst().key().equals(message.key()));
    return finished.thenCombine(
        directory.find(agent),
        (isFinished, entry) ->
            Optional.of(new Prepared(message, agent, request, isFinished, entry)));
  }

  /** Completes when the request is done with. */
  private CompletionStage<Void> send(Prepared prepared) {
    if (prepared.finished()) {
      return CompletableFuture.completedStage(null);
    }
    if (prepared.entry().isEmpty()) {
      return refuse(prepared, "there is no agent " + prepared.agent());
    }
    return recorder
        .admit(prepared.agent(), prepared.request())
        .thenCompose(
            refusal -> refusal.isPresent() ? refuse(prepared, refusal.get()) : accept(prepared));
  }

  private CompletionStage<Void> accept(Prepared prepared) {
    return door.accept(prepared.entry().get().unit(), prepared.agent(), prepared.request())
        .thenCompose(reply ->
            switch (reply) {
              case AcceptReply.Accepted accepted -> CompletableFuture.completedStage(null);
              case AcceptReply.Rejected rejected -> refuse(prepared, rejected.reason());
            });
  }

  private CompletionStage<Void> refuse(Prepared prepared, String reason) {
    AgentRun run = AgentRun.failed(prepared.request().runId(), reason, RunStats.NONE);
    return results.publish(prepared.agent(), prepared.request(), run, Optional.empty());
  }

  private CompletionStage<Optional<Prepared>> refuseMalformed(InboxMessage message, String why) {
    LOG.warn("request {} of {} is dropped: {}", message.key(), message.scope(), why);
    Optional<String> runId = PROTOCOL.requestId(message.key());
    if (runId.isEmpty()) {
      return CompletableFuture.completedStage(Optional.empty());
    }
    AgentRun run =
        AgentRun.failed(new RunId(runId.get()), "the request is malformed: " + why, RunStats.NONE);
    return results
        .publish(message.recipient(), message.scope(), message.key(), run)
        .thenApply(written -> Optional.empty());
  }
}
