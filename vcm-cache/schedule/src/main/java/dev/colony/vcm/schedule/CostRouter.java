package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.CostRouter.Decision.Hold;
import dev.colony.vcm.schedule.CostRouter.Decision.Refusal;
import dev.colony.vcm.schedule.CostRouter.Decision.Run;
import dev.colony.vcm.schedule.CostRouter.Picker.Scored;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Of the replicas that pass all filters, the one that the picker takes by the sum of the scores.
 */
public record CostRouter(List<Filter> filters, List<Scorer> scorers, Picker picker) {

  public CostRouter {
    filters = List.copyOf(filters);
    scorers = List.copyOf(scorers);
  }

  /**
   * The rule for calls without a lease: least wait + (1 + a + b) * prefill, where a is the length
   * of the queues times {@code congestion}, up to {@code most}, and b the replies under way at the
   * replica times {@code delay}.
   */
  public static CostRouter chat(double congestion, double most, double delay) {
    return new CostRouter(Filter.ALL, Scorer.chat(congestion, most, delay), Picker.CHEAPEST);
  }

  /** Decides over a snapshot: the same snapshot and ask give the same decision. */
  public Decision route(ClusterSnapshot snapshot, Ask ask) {
    Refusal refusal = Refusal.NO_REPLICA;
    List<Scored> scored = new ArrayList<>(snapshot.replicas().size());
    for (ClusterSnapshot.Replica replica : snapshot.replicas()) {
      Optional<Refusal> refused =
          filters.stream().flatMap(filter -> filter.refuses(ask, replica).stream()).findFirst();
      if (refused.isPresent()) {
        refusal = refused.get().compareTo(refusal) < 0 ? refused.get() : refusal;
        continue;
      }
      Scorer.Candidate candidate = Scorer.Candidate.of(ask, replica);
      double seconds =
          scorers.stream().mapToDouble(scorer -> scorer.seconds(candidate, snapshot)).sum();
      scored.add(new Scored(candidate, seconds));
    }
    Optional<Scored> picked = picker.pick(scored);
    if (picked.isEmpty()) {
      return new Hold(refusal);
    }
    Scorer.Candidate best = picked.get().candidate();
    return new Run(
        best.replica().id(), picked.get().seconds(), best.cachedBlocks(), best.prefillSeconds());
  }

  /** Leaves out replicas that cannot take an ask. */
  @FunctionalInterface
  public interface Filter {

    /** Why the replica does not take it; empty where it does. */
    Optional<Refusal> refuses(Ask ask, ClusterSnapshot.Replica replica);

    /** What the ask excludes, what takes no calls, and what has as many as it may. */
    List<Filter> ALL =
        List.of(
            (ask, replica) -> when(ask.excluded().contains(replica.id()), Refusal.EXCLUDED),
            (ask, replica) -> when(!replica.access().available(), Refusal.UNAVAILABLE),
            (ask, replica) -> when(replica.access().full(), Refusal.FULL));

    private static Optional<Refusal> when(boolean refused, Refusal why) {
      return refused ? Optional.of(why) : Optional.empty();
    }
  }

  /** Chooses among candidates whose cost is known. */
  @FunctionalInterface
  public interface Picker {

    /** A candidate and the sum of its scores, in seconds. */
    record Scored(Scorer.Candidate candidate, double seconds) {}

    /** One of them; empty only where there is none. */
    Optional<Scored> pick(List<Scored> candidates);

    /** The cheapest; of equally cheap ones that with the fewest calls, then the first. */
    Picker CHEAPEST =
        candidates -> {
          Scored best = null;
          for (Scored one : candidates) {
            if (best == null
                || one.seconds() < best.seconds()
                || (one.seconds() == best.seconds()
                    && one.candidate().replica().load().calls()
                        < best.candidate().replica().load().calls())) {
              best = one;
            }
          }
          return Optional.ofNullable(best);
        };
  }

  /** One part of what an ask costs at a replica, in seconds. */
  @FunctionalInterface
  public interface Scorer {

    /** Seconds; may be infinite, never NaN. */
    double seconds(Candidate candidate, ClusterSnapshot snapshot);

    /**
     * A replica that may take the ask.
     *
     * @param cachedBlocks of the ask's prompt, from its start
     * @param prefillSeconds for what is not cached
     */
    record Candidate(
        Ask ask, ClusterSnapshot.Replica replica, int cachedBlocks, double prefillSeconds) {

      /** The part of the prompt that is not cached, from 0 to 1. */
      double missing() {
        return ask.promptTokens() <= 0
            ? 1
            : 1 - Math.min(1, ask.cachedTokens(cachedBlocks) / ask.promptTokens());
      }

      static Candidate of(Ask ask, ClusterSnapshot.Replica replica) {
        int blocks = replica.residency().prefix(ask.blocks());
        double cached = ask.cachedTokens(blocks);
        return new Candidate(
            ask, replica, blocks, replica.speed().seconds(ask.promptTokens() - cached, cached));
      }
    }

    /** What stands before it: prompts, and what each of them and it itself wait beyond that. */
    Scorer WAIT =
        (candidate, snapshot) -> {
          ClusterSnapshot.Load load = candidate.replica().load();
          return load.backlogSeconds() + load.stallSeconds() * (load.waiting() + 1);
        };

    /** What it takes itself, to its first token. */
    Scorer PREFILL = (candidate, snapshot) -> candidate.prefillSeconds();

    /** How much farther away the replica is. */
    Scorer REACH = (candidate, snapshot) -> candidate.replica().access().reachSeconds();

    /**
     * A replica that starts slowly counts as that much slower; less so for a prompt that it holds
     * the beginning of: for that one it is not cold.
     */
    Scorer SLOW_START =
        (candidate, snapshot) ->
            candidate.prefillSeconds()
                * candidate.missing()
                * (1 / candidate.replica().access().warm() - 1);

    /**
     * What those who come after pay: a second of prefill delays each call that waits in the
     * meantime.
     *
     * @param weight how many calls a second delays, for each that waits on average; a ratio
     * @param most how many it is taken to delay at most; where more wait, caches hold nothing for
     *     as long as that, and the balance of the replicas is worth more
     */
    static Scorer congestion(double weight, double most) {
      return (candidate, snapshot) ->
          Math.min(most, weight * snapshot.queueLength()) * candidate.prefillSeconds();
    }

    /**
     * What the replies pay that are under way at the replica: an engine computes prompts between
     * the steps of its replies, and each of these comes later by that.
     *
     * @param weight what a second of a reply counts beside one to a first token; a ratio
     */
    static Scorer delay(double weight) {
      return (candidate, snapshot) ->
          weight * candidate.replica().load().replying() * candidate.prefillSeconds();
    }

    /** The rule for calls without a lease. */
    static List<Scorer> chat(double congestion, double most, double delay) {
      return List.of(WAIT, PREFILL, congestion(congestion, most), delay(delay), REACH, SLOW_START);
    }
  }

  /** What becomes of an {@link Ask}. */
  public sealed interface Decision {

    /**
     * It goes to a replica.
     *
     * @param seconds what it costs there by the router's scorers
     * @param cachedBlocks blocks of its prompt that are expected in the cache when it starts
     * @param prefillSeconds what the rest is expected to take
     */
    record Run(String replica, double seconds, int cachedBlocks, double prefillSeconds)
        implements Decision {}

    /** No replica takes it. */
    record Hold(Refusal why) implements Decision {}

    /** Why a replica does not take an ask; of several the first listed is told. */
    enum Refusal {
      /** It has as many calls as it may: a place comes free. */
      FULL,
      /** It is draining, or is not tried because calls to it fail. */
      UNAVAILABLE,
      /** The ask has excluded it. */
      EXCLUDED,
      /** There is no replica at all. */
      NO_REPLICA
    }
  }
}
