package dev.colony.testkit;

import dev.colony.agent.AgentException;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Answers no call. */
final class NoModel implements InferenceGateway {

  @Override
  public CompletionStage<InferenceReply> complete(
      InferenceRequest request, Consumer<InferenceDelta> parts) {
    return CompletableFuture.failedStage(
        AgentException.refused("there is no model here: give the test one by Builder.model"));
  }

  @Override
  public void close() {}
}
