package dev.colony.server.metrics;

import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.PromptCaches;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A gateway whose calls are counted. What is cancelled here is cancelled there. */
record MeasuredGateway(InferenceGateway gateway, ModelFigures figures) implements InferenceGateway {

  @Override
  public CompletableFuture<InferenceReply> complete(
      InferenceRequest request, Consumer<InferenceDelta> parts) {
    Stopwatch watch = Stopwatch.start();
    CompletableFuture<InferenceReply> reply =
        gateway.complete(request, parts).toCompletableFuture();
    // Not before: a call that the gateway refuses by throwing has not begun, and never ends.
    figures.began(reply, watch);
    // A caller cancels the gateway's own future, so it is that one which is given out.
    reply.whenComplete((answer, failure) -> {
      figures.over(reply);
      Duration took = watch.elapsed();
      if (failure == null) {
        figures.answered(request, answer, took);
      } else {
        figures.failed(failure, took);
      }
    });
    return reply;
  }

  @Override
  public Optional<PromptCaches> promptCaches() {
    return gateway.promptCaches();
  }

  @Override
  public CompletionStage<List<OfferedModel>> servedModels() {
    return gateway.servedModels();
  }

  @Override
  public List<OfferedModel> models() {
    return gateway.models();
  }

  @Override
  public void close() {
    gateway.close();
  }
}
