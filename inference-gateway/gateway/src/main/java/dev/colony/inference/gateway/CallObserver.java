package dev.colony.inference.gateway;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.routing.Replica;
import java.util.OptionalLong;

/** Hears of calls that were answered, on the thread of the call: must not block. */
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
}
