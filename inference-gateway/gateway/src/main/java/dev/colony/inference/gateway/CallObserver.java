package dev.colony.inference.gateway;

import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.Spend;
import dev.colony.inference.gateway.AdmissionQueue.AdmissionRequest;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ResidentPages;
import dev.colony.vcm.schedule.EvictionControl;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Hears what becomes of calls, in their way: must not block. */
@FunctionalInterface
public interface CallObserver {

  /** Hears nothing. */
  CallObserver NONE = (replica, request, usage, cachedTokens) -> {};

  /**
   * A replica answered.
   *
   * @param cachedTokens what the server said of its cache; empty where it says nothing
   */
  void answered(Replica replica, InferenceRequest request, Usage usage, OptionalLong cachedTokens);

  /** One that tells another, too. */
  default CallObserver and(CallObserver other) {
    CallObserver one = this;
    return new CallObserver() {
      @Override
      public void answered(
          Replica replica, InferenceRequest request, Usage usage, OptionalLong cachedTokens) {
        one.answered(replica, request, usage, cachedTokens);
        other.answered(replica, request, usage, cachedTokens);
      }

      @Override
      public void sent(Replica replica, InferenceRequest request) {
        one.sent(replica, request);
        other.sent(replica, request);
      }

      @Override
      public void ended(Replica replica, InferenceRequest request) {
        one.ended(replica, request);
        other.ended(replica, request);
      }

      @Override
      public void decided(AdmissionRequest request, AdmissionDecision<?> decision) {
        one.decided(request, decision);
        other.decided(request, decision);
      }

      @Override
      public void fellBack(String from, String to, Optional<Kind> why) {
        one.fellBack(from, to, why);
        other.fellBack(from, to, why);
      }

      @Override
      public void spent(InferenceRequest request, Spend spend) {
        one.spent(request, spend);
        other.spent(request, spend);
      }

      @Override
      public void cacheTold(
          EvictionControl how, CacheOutcome outcome, long promptTokens, long computed) {
        one.cacheTold(how, outcome, promptTokens, computed);
        other.cacheTold(how, outcome, promptTokens, computed);
      }

      @Override
      public void gaveUp(Replica replica, Set<String> pages) {
        one.gaveUp(replica, pages);
        other.gaveUp(replica, pages);
      }

      @Override
      public void cached(String replica, ResidentPages.Change change) {
        one.cached(replica, change);
        other.cached(replica, change);
      }

      @Override
      public void cacheUnknown(String replica) {
        one.cacheUnknown(replica);
        other.cacheUnknown(replica);
      }
    };
  }

  /** A call is sent to a replica; {@link #ended} follows, whatever comes of it. */
  default void sent(Replica replica, InferenceRequest request) {}

  /** A call that was sent to a replica is there no more. */
  default void ended(Replica replica, InferenceRequest request) {}

  /** A call was admitted, or is not to be. One that is carried out once more is told of again. */
  default void decided(AdmissionRequest request, AdmissionDecision<?> decision) {}

  /**
   * A call was answered by a model that stands in for the one that it chose.
   *
   * @param from the name of the one that it chose
   * @param to the name of the one that answered
   * @param why what the first has failed with; empty where its servers were not available, and it
   *     was asked nothing
   */
  default void fellBack(String from, String to, Optional<Kind> why) {}

  /** A completion has ended, whatever has come of it, and took so much. */
  default void spent(InferenceRequest request, Spend spend) {}

  /**
   * An order for the cache of a replica was carried out, or left out.
   *
   * @param how TOUCHES or HINTS
   * @param promptTokens of a touch
   * @param computed those of them that were not in the cache
   */
  default void cacheTold(
      EvictionControl how, CacheOutcome outcome, long promptTokens, long computed) {}

  /** A replica's cache has taken the hint that pages, by their ids, are to be evicted next. */
  default void gaveUp(Replica replica, Set<String> pages) {}

  /**
   * Pages of this gateway's prompts have come into a replica's cache or left it, by the events that
   * the replica publishes; told once a {@code report-interval}, one at a time. The first time for a
   * replica may tell of none: from then on it is known that it publishes.
   *
   * @param replica its id
   */
  default void cached(String replica, ResidentPages.Change change) {}

  /** Nothing is heard any more of a replica of which {@link #cached} has told. */
  default void cacheUnknown(String replica) {}

  /** What became of an order for a cache. */
  enum CacheOutcome {
    DONE,
    /** No prompt is known that has the blocks. */
    UNKNOWN,
    /** The replica is not taken to hold them any more. */
    ABSENT,
    /** The replica may not be called. */
    UNAVAILABLE,
    /** As many orders wait for the replica as may. */
    QUEUE_FULL,
    /** The replica did not answer as it should. */
    FAILED
  }
}
