package dev.colony.inference.gateway;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.openai.Attempt;
import dev.colony.inference.openai.Attempt.Answered;
import dev.colony.inference.openai.Attempt.Failed;
import dev.colony.inference.routing.Replica;
import dev.colony.inference.routing.RoutePicker;
import dev.colony.inference.routing.RoutePicker.Candidate;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its way: routed, queued, attempted, failed over, until it is answered, its attempts
 * are used up or its deadline has passed. Another replica is tried at once; one that failed before
 * is tried again after a backoff.
 */
final class RoutedCall {

  private static final Logger LOG = LoggerFactory.getLogger(RoutedCall.class);

  private final HttpInferenceGateway gateway;
  private final InferenceRequest request;
  private final long end;
  private final Map<String, Integer> failuresAt = new HashMap<>();

  RoutedCall(HttpInferenceGateway gateway, InferenceRequest request) {
    this.gateway = gateway;
    this.request = request;
    this.end = System.nanoTime() + request.deadline().toNanos();
  }

  /**
   * @throws InferenceException the last attempt's failure
   */
  InferenceReply run() throws InterruptedException {
    Failed last = null;
    for (int attempt = 1; attempt <= gateway.settings().maxAttempts(); attempt++) {
      if (last != null && (!last.failure().retryable() || !another(attempt - 1, last))) {
        break;
      }
      Collection<Replica> replicas = gateway.replicas();
      Optional<Replica> picked = pick(replicas);
      boolean resident = ownHoldsAll(replicas);
      switch (picked.isEmpty() ? nowhere(replicas) : attempt(picked.get())) {
        case Answered answer -> {
          Replica replica = picked.get();
          gateway.observer().answered(replica, request, answer.usage(), answer.cachedTokens());
          return new InferenceReply(
              request.callId(), answer.text(), answer.usage(), replica.id(), resident);
        }
        case Failed failed -> {
          LOG.debug(
              "call {}, attempt {}: {}", request.callId(), attempt, failed.failure().getMessage());
          picked.ifPresent(replica -> failuresAt.merge(replica.id(), 1, Integer::sum));
          last = failed;
        }
      }
    }
    throw last.failure();
  }

  /** Waits for the next attempt where it goes to a replica that failed. False if time is short. */
  private boolean another(int attempts, Failed last) throws InterruptedException {
    Optional<Replica> next = pick(gateway.replicas());
    if (next.isPresent() && !failuresAt.containsKey(next.get().id())) {
      return left().isPositive();
    }
    Duration delay =
        Backoff.delay(
            gateway.settings(),
            attempts,
            last.retryAfter(),
            ThreadLocalRandom.current().nextDouble());
    if (delay.compareTo(left()) >= 0) {
      return false;
    }
    TimeUnit.NANOSECONDS.sleep(delay.toNanos());
    return true;
  }

  private Optional<Replica> pick(Collection<Replica> replicas) {
    return RoutePicker.pick(replicas.stream().map(this::candidate).toList())
        .map(Candidate::replica);
  }

  private Candidate candidate(Replica replica) {
    ReplicaQueue queue = gateway.queue(replica);
    return Candidate.of(
        replica,
        request.pages(),
        gateway.residency(),
        gateway.ownNode(),
        queue.calls(),
        queue.full(),
        failuresAt.getOrDefault(replica.id(), 0));
  }

  private boolean ownHoldsAll(Collection<Replica> replicas) {
    return replicas.stream()
        .filter(replica -> replica.node().equals(gateway.ownNode()))
        .anyMatch(own ->
            request.pages().stream()
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
            "replica " + replica.id() + " had no free slot within " + request.deadline());
      }
      try {
        Duration timeout = left();
        Duration bound = gateway.settings().attemptTimeout();
        return gateway
            .client(replica)
            .complete(request, timeout.compareTo(bound) < 0 ? timeout : bound);
      } finally {
        queue.finish();
      }
    } finally {
      queue.leave();
    }
  }

  private static Failed nowhere(Collection<Replica> replicas) {
    return replicas.isEmpty()
        ? failed(Kind.UNREACHABLE, "no replica is known")
        : failed(Kind.SERVER_ERROR, "the queues of all " + replicas.size() + " replicas are full");
  }

  private static Failed failed(Kind kind, String message) {
    return new Failed(new InferenceException(kind, message, null), Optional.empty());
  }

  private Duration left() {
    return Duration.ofNanos(end - System.nanoTime());
  }
}
