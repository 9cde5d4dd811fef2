package dev.colony.inference;

import java.util.concurrent.CompletionStage;

/** Carries model calls to replicas. Thread-safe; {@link #complete} does not block. */
public interface InferenceGateway extends AutoCloseable {

  /**
   * Sends one call, with retries and failover within its deadline. Fails with {@link
   * InferenceException}. Cancelling the stage's future aborts the call.
   */
  CompletionStage<InferenceReply> complete(InferenceRequest request);

  @Override
  void close();
}
