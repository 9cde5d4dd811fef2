package dev.colony.server.metrics;

import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A gateway whose calls are counted. What is cancelled here is cancelled there. */
record MeasuredGateway(InferenceGateway gateway, ModelFigures figures) implements InferenceGateway {

  @Override
  public CompletableFuture<InferenceReply> complete(InferenceRequest request) {
    long began = System.nanoTime();
    CompletableFuture<InferenceReply> reply = gateway.complete(request).toCompletableFuture();
    // Not before: a call that the gateway refuses by throwing has not begun, and never ends.
    figures.began(reply, began);
    // A caller cancels the gateway's own future, so it is that one which is given out.
    reply.whenComplete((answer, failure) -> {
      figures.over(reply);
      Duration took = Duration.ofNanos(System.nanoTime() - began);
      if (failure == null) {
        figures.answered(request, answer, took);
      } else {
        figures.failed(failure, took);
      }
    });
    return reply;
  }

  @Override
  public void close() {
    gateway.close();
  }
}
