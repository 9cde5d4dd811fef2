package dev.colony.inference;

import java.util.concurrent.CompletionStage;

/** Carries model calls to replicas. Thread-safe; {@link #complete} does not block. */
public interface InferenceGateway extends AutoCloseable {

  /**
   * Sends one call, with retries and failover within its deadline. Fails with {@link
   * InferenceException}. Cancelling the stage's future aborts the call.
   *
   * <p>A reply to a call with a schema satisfies it, and callers need not hold it against the
   * schema again: where a model's reply does not, the model is asked once more and shown what is
   * wrong; after that the call fails as {@link InferenceException.Kind#BAD_REPLY}.
   */
  CompletionStage<InferenceReply> complete(InferenceRequest request);

  @Override
  void close();
}
