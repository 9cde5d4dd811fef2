package dev.colony.vcm.schedule;

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
