package dev.colony.inference.gateway;

import java.time.Duration;

/**
 * What becomes of a call that asks to be admitted.
 *
 * @param <C> the call, as the caller of the queue names it
 */
public sealed interface AdmissionDecision<C> {

  /** The call that it is about. */
  C call();

  /** It has a slot and begins. */
  record Admitted<C>(C call, Duration waited) implements AdmissionDecision<C> {}

  /**
   * It was never let in.
   *
   * @param retryAfter when there may be room, estimated
   */
  record Rejected<C>(C call, RejectReason reason, Duration retryAfter)
      implements AdmissionDecision<C> {}

  /**
   * It waited, and waits no more.
   *
   * @param retryAfter when there may be room, estimated
   */
  record Evicted<C>(C call, EvictReason reason, Duration waited, Duration retryAfter)
      implements AdmissionDecision<C> {}

  /** It waited, and no replica lives that could answer it. */
  record Unavailable<C>(C call, Duration waited) implements AdmissionDecision<C> {}

  /** Why a call is not let in. */
  enum RejectReason {
    /** As many calls of its tenant wait as may. */
    TENANT_FULL,
    /** As many calls wait as may, and its tenant has its share of them. */
    FULL,
    /** Its turn would come after its deadline. */
    TOO_LATE
  }

  /** Why a call that waited is sent away. */
  enum EvictReason {
    /** A call of the same tenant that goes before it took its place. */
    HIGHER_PRIORITY,
    /** A call of a tenant with fewer waiting calls for its weight took its place. */
    FAIR_SHARE,
    /** It can have no answer within its deadline any more. */
    DEADLINE
  }
}
