package dev.colony.library.pool;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * One item of work as it stands on the blackboard until it is done. Its moves are pure: each says
 * what the item becomes, or that it is not to be made.
 *
 * @param id that the caller has given it, unique within the pool
 * @param request the key of the caller's request, which holds the input
 * @param attempts how often it is claimed at most
 * @param lease how long a claim holds without being renewed
 * @param epoch how often it was claimed; fences what an earlier worker still does
 * @param worker who has it; present while it is claimed, and in the end who had it last
 * @param until when the lease or the rest ends; present while it is claimed or rests
 * @param error what its last attempt came to, one line
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
record PoolItem(
    String id,
    String request,
    int attempts,
    Duration lease,
    State state,
    int epoch,
    Optional<String> worker,
    Optional<Instant> until,
    Optional<String> error) {

  /** How long an item rests after its first failure; twice as long after each further one. */
  static final Duration REST = Duration.ofSeconds(10);

  private static final int MOST_DOUBLINGS = 6;

  enum State {
    QUEUED,
    CLAIMED,
    /** Its run has failed: it is queued again after a while. */
    RESTING,
    /** Every attempt has failed: it is kept for people. */
    DEAD
  }

  /**
   * What a move leads to.
   *
   * @param item as it is to stand; empty where it is done and goes
   * @param result what the caller is given; empty where there is none yet
   */
  record Change(Optional<PoolItem> item, Optional<AgentRun> result) {

    static Change to(PoolItem item) {
      return new Change(Optional.of(item), Optional.empty());
    }

    boolean dead() {
      return item.filter(one -> one.state() == State.DEAD).isPresent();
    }
  }

  PoolItem {
    Objects.requireNonNull(state, "state");
    worker = worker == null ? Optional.empty() : worker;
    until = until == null ? Optional.empty() : until;
    error = error == null ? Optional.empty() : error;
  }

  static PoolItem queued(String id, String request, int attempts, Duration lease) {
    return new PoolItem(
        id,
        request,
        attempts,
        lease,
        State.QUEUED,
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Names the worker's run for this claim; no two claims have the same. */
  RunId run() {
    return new RunId(id + "." + epoch);
  }

  /** The id of the item that a {@link #run} is for; the whole text where it is no such run. */
  static String idOf(RunId run) {
    return run.value().replaceFirst("\\.[0-9]+$", "");
  }

  boolean heldBy(String who, int claim) {
    return state == State.CLAIMED && epoch == claim && worker.equals(Optional.of(who));
  }

  /** A worker takes it; empty where another was faster. */
  Optional<Change> claim(String who, Instant now) {
    return state == State.QUEUED
        ? Optional.of(Change.to(claimed(who, epoch + 1, now)))
        : Optional.empty();
  }

  /** Its worker goes on with it; empty where the claim is over. */
  Optional<Change> renew(String who, int claim, Instant now) {
    return heldBy(who, claim) ? Optional.of(Change.to(claimed(who, epoch, now))) : Optional.empty();
  }

  /** Whether a worker that goes on should renew the lease: less than half of it is left. */
  boolean due(Instant now) {
    return until.filter(end -> now.isBefore(end.minus(lease.dividedBy(2)))).isEmpty();
  }

  /**
   * The run for a claim has ended. A completed one gives the item's result; after any other the
   * item rests, and is tried again while there are attempts left. Empty where the claim is over:
   * what a worker says that has lost the item counts for nothing.
   */
  Optional<Change> end(String who, int claim, AgentRun run, Instant now) {
    if (!heldBy(who, claim)) {
      return Optional.empty();
    }
    if (run.status() != AgentRun.Status.COMPLETED) {
      String why = run.error().orElse(run.status().name());
      Duration rest = REST.multipliedBy(1L << Math.min(MOST_DOUBLINGS, epoch - 1));
      PoolItem resting =
          with(State.RESTING, Optional.empty(), Optional.of(now.plus(rest)), Optional.of(why));
      return Optional.of(epoch < attempts ? Change.to(resting) : dead(why, run.stats()));
    }
    AgentRun result =
        new AgentRun(
            new RunId(id),
            run.status(),
            run.output(),
            run.error(),
            run.stats(),
            run.sessionId(),
            run.exported(),
            run.learned(),
            false);
    return Optional.of(new Change(Optional.empty(), Optional.of(result)));
  }

  /**
   * The lease or the rest may be over: then the item is any worker's, or dead where it has had its
   * attempts. Empty where it is not over.
   */
  Optional<Change> lapse(Instant now) {
    if (until.filter(now::isBefore).isPresent()) {
      return Optional.empty();
    }
    return switch (state) {
      case CLAIMED -> {
        String why = worker.orElse("") + " did not renew its lease of " + lease;
        yield Optional.of(
            epoch < attempts ? Change.to(queued(Optional.of(why))) : dead(why, RunStats.NONE));
      }
      case RESTING -> Optional.of(Change.to(queued(error)));
      case QUEUED, DEAD -> Optional.empty();
    };
  }

  private Change dead(String why, RunStats stats) {
    String end = "item %s failed in %d attempts, the last: %s".formatted(id, epoch, why);
    return new Change(
        Optional.of(with(State.DEAD, worker, Optional.empty(), Optional.of(why))),
        Optional.of(AgentRun.failed(new RunId(id), end, stats)));
  }

  private PoolItem queued(Optional<String> why) {
    return with(State.QUEUED, Optional.empty(), Optional.empty(), why);
  }

  private PoolItem claimed(String who, int claim, Instant now) {
    Optional<Instant> end = Optional.of(now.plus(lease));
    return new PoolItem(
        id, request, attempts, lease, State.CLAIMED, claim, Optional.of(who), end, error);
  }

  private PoolItem with(
      State next, Optional<String> who, Optional<Instant> end, Optional<String> why) {
    return new PoolItem(id, request, attempts, lease, next, epoch, who, end, why);
  }
}
