package dev.colony.blackboard.clock;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Where the cluster time is kept that processes have agreed upon. */
@FunctionalInterface
public interface TimeStore {

  /**
   * What a store answered.
   *
   * @param cluster the greatest cluster time of all that processes have said, to the millisecond
   * @param store what the store's own clock showed at the same moment
   */
  record Reading(Instant cluster, Instant store) {}

  /**
   * Keeps the greater of a process' cluster time and of what is stored, and answers it. Without
   * one, what is stored is first advanced by what has gone by on the store's clock since the last
   * call of any process, if that is not negative; where nothing is stored, the store's clock begins
   * it. A call that is repeated does no harm.
   *
   * @param mine the caller's cluster time; empty before its first answer
   * @return fails while the store does not answer
   */
  CompletionStage<Reading> agree(Optional<Instant> mine);
}
