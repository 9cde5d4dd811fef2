package dev.colony.testkit;

import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Answers at once with as many bytes as the request allows tokens. No model at all. */
public final class InstantModel implements InferenceGateway {

  private volatile String text = "";

  @Override
  public CompletionStage<InferenceReply> complete(
      InferenceRequest request, Consumer<InferenceDelta> parts) {
    int size = request.reply().maxTokens();
    return CompletableFuture.completedFuture(
        InferenceReply.text(request.callId(), text(size), new Usage(0, 0, size), "fake", false));
  }

  private String text(int size) {
    String last = text;
    if (last.length() != size) {
      last = "x".repeat(size);
      text = last;
    }
    return last;
  }

  @Override
  public void close() {}
}
