package dev.colony.vcm.schedule;

import java.util.List;

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

  /** What stands before it. */
  Scorer BACKLOG = (candidate, snapshot) -> candidate.replica().backlogSeconds();

  /** What it takes itself, to its first token. */
  Scorer PREFILL = (candidate, snapshot) -> candidate.prefillSeconds();

  /** How much farther away the replica is. */
  Scorer REACH = (candidate, snapshot) -> candidate.replica().access().reachSeconds();

  /**
   * A replica that starts slowly counts as that much slower; less so for a prompt that it holds the
   * beginning of: for that one it is not cold.
   */
  Scorer SLOW_START =
      (candidate, snapshot) ->
          candidate.prefillSeconds()
              * candidate.missing()
              * (1 / candidate.replica().access().warm() - 1);

  /**
   * What those who come after pay: a second of prefill delays each call that waits in the meantime.
   *
   * @param weight how many calls a second delays, for each that waits on average; a ratio
   * @param most how many it is taken to delay at most; where more wait, caches hold nothing for as
   *     long as that, and the balance of the replicas is worth more
   */
  static Scorer congestion(double weight, double most) {
    return (candidate, snapshot) ->
        Math.min(most, weight * snapshot.queueLength()) * candidate.prefillSeconds();
  }

  /** The rule for calls without a session. */
  static List<Scorer> chat(double congestion, double most) {
    return List.of(BACKLOG, PREFILL, congestion(congestion, most), REACH, SLOW_START);
  }
}
