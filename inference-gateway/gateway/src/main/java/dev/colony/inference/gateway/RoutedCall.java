package dev.colony.inference.gateway;

import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Timings;
import dev.colony.inference.provider.Attempt;
import dev.colony.inference.provider.Attempt.Answered;
import dev.colony.inference.provider.Attempt.Failed;
import dev.colony.inference.provider.UsageTally;
import dev.colony.inference.routing.Replica;
import dev.colony.inference.routing.RoutePicker;
import dev.colony.inference.routing.RoutePicker.Candidate;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its way: routed, queued, attempted, failed over, until it is answered, its attempts
 * are used up or its deadline has passed. Another replica is tried at once; one that failed before
 * is tried again after a backoff, and of several of them the one whose backoff is over first.
 */
final class RoutedCall {

  private static final Logger LOG = LoggerFactory.getLogger(RoutedCall.class);

  /**
   * What became of this call at a replica.
   *
   * @param readyAt when it may be tried again, on the gateway's clock
   */
  private record LastFailure(int failures, long readyAt) {}

  private final HttpInferenceGateway gateway;
  private final InferenceRequest request;
  private final Consumer<InferenceDelta> parts;
  private final UsageTally spent = new UsageTally();
  private final long begun;
  private final long end;
  private long sent;
  private final Map<String, LastFailure> lastFailures = new HashMap<>();
  private int attempts;
  private int overloads;

  /**
   * @param parts gets the reply's parts as they come
   */
  RoutedCall(
      HttpInferenceGateway gateway, InferenceRequest request, Consumer<InferenceDelta> parts) {
    this.gateway = gateway;
    this.request = request;
    this.parts = parts;
    this.begun = gateway.clock().nanos();
    this.sent = begun;
    this.end = begun + request.context().deadline().toNanos();
  }

  /**
   * @throws InferenceException the last attempt's failure
   */
  InferenceReply run() throws InterruptedException {
    while (true) {
      Collection<Replica> replicas = gateway.replicas();
      Optional<Replica> picked = pick(replicas);
      boolean resident = ownHoldsAll(replicas);
      switch (picked.isEmpty() ? nowhere(replicas) : attempt(picked.get())) {
        case Answered answer -> {
          Replica replica = picked.get();
          gateway.observer().answered(replica, request, answer.usage(), answer.cachedTokens());
          return new InferenceReply(
              request.callId(),
              answer.text(),
              answer.toolCalls(),
              answer.reasoning(),
              answer.finish(),
              answer.usage(),
              new Timings(
                  Duration.ofNanos(sent - begun),
                  answer.firstToken(),
                  Duration.ofNanos(gateway.clock().nanos() - begun)),
              answer.model(),
              replica.id(),
              resident);
        }
        case Failed failed -> {
          LOG.debug("call {}: {}", request.callId(), failed.failure().getMessage());
          if (!goesOn(failed, picked)) {
            throw failed.failure();
          }
        }
      }
    }
  }

  /** Waits until the call may be tried again. False if it may not, or not within its deadline. */
  private boolean goesOn(Failed failed, Optional<Replica> at) throws InterruptedException {
    GatewaySettings settings = gateway.settings();
    if (failed.overloaded()) {
      overloads++;
    } else {
      attempts++;
    }
    boolean usedUp =
        failed.overloaded()
            ? overloads > settings.overloadRetries()
            : attempts >= settings.maxAttempts();
    if (!failed.failure().retryable() || usedUp) {
      return false;
    }
    ReplicaBackoff backoff =
        failed.overloaded() ? ReplicaBackoff.overloaded(settings) : ReplicaBackoff.usual(settings);
    int failures = at.map(replica -> failuresAt(replica) + 1).orElse(attempts);
    Duration delay = backoff.delay(failures, failed.retryAfter(), gateway.clock().random());
    long readyAt = gateway.clock().nanos() + delay.toNanos();
    at.ifPresent(replica -> lastFailures.put(replica.id(), new LastFailure(failures, readyAt)));
    Duration wait =
        pick(gateway.replicas())
            .map(next -> Optional.ofNullable(lastFailures.get(next.id())).map(LastFailure::readyAt))
            .map(next -> next.map(this::until).orElse(Duration.ZERO))
            .orElse(delay);
    if (wait.compareTo(left()) >= 0) {
      return false;
    }
    if (wait.isPositive()) {
      gateway.clock().sleep(wait);
    }
    return true;
  }

  private Duration until(long nanos) {
    return Duration.ofNanos(nanos - gateway.clock().nanos());
  }

  /** The best of those at which this call has not failed, else the one that is ready first. */
  private Optional<Replica> pick(Collection<Replica> replicas) {
    List<Candidate> candidates = replicas.stream().map(this::candidate).toList();
    Optional<Candidate> fresh =
        RoutePicker.pick(candidates.stream().filter(one -> one.failures() == 0).toList());
    return fresh
        .or(() ->
            candidates.stream()
                .filter(candidate -> !candidate.full())
                .min(
                    Comparator.comparingLong(
                        one -> lastFailures.get(one.replica().id()).readyAt())))
        .map(Candidate::replica);
  }

  private int failuresAt(Replica replica) {
    LastFailure last = lastFailures.get(replica.id());
    return last == null ? 0 : last.failures();
  }

  private Candidate candidate(Replica replica) {
    ReplicaQueue queue = gateway.queue(replica);
    return Candidate.of(
        replica,
        request.prompt().pages(),
        gateway.residency(),
        gateway.ownNode(),
        queue.calls(),
        queue.full(),
        failuresAt(replica));
  }

  private boolean ownHoldsAll(Collection<Replica> replicas) {
    return replicas.stream()
        .filter(replica -> replica.node().equals(gateway.ownNode()))
        .anyMatch(own ->
            request.prompt().pages().stream()
                .allMatch(page -> gateway.residency().resident(own.id(), page.id())));
  }

  private Attempt attempt(Replica replica) throws InterruptedException {
    ReplicaQueue queue = gateway.queue(replica);
    if (!queue.enter()) {
      return failed(Kind.SERVER_ERROR, "the queue of replica " + replica.id() + " is full");
    }
    try {
      if (!queue.start(left())) {
        return failed(
            Kind.TIMEOUT,
            "replica " + replica.id() + " had no free slot within " + request.context().deadline());
      }
      try {
        Duration timeout = left();
        sent = gateway.clock().nanos();
        Duration bound = gateway.settings().attemptTimeout();
        return gateway
            .client(replica)
            .complete(
                request,
                replica.id(),
                timeout.compareTo(bound) < 0 ? timeout : bound,
                parts,
                spent);
      } finally {
        queue.finish();
      }
    } finally {
      queue.leave();
    }
  }

  private Failed nowhere(Collection<Replica> replicas) {
    return replicas.isEmpty()
        ? failed(Kind.UNREACHABLE, "no replica is known")
        : failed(Kind.SERVER_ERROR, "the queues of all " + replicas.size() + " replicas are full");
  }

  private Failed failed(Kind kind, String message) {
    return new Failed(new InferenceException(kind, message, null, spent.total()), Optional.empty());
  }

  private Duration left() {
    return until(end);
  }
}
