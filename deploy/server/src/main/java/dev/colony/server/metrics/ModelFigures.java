package dev.colony.server.metrics;

import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.PromptCaches;
import dev.colony.server.metrics.NodeMetrics.LatencyBuckets;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Model calls, their tokens, and whether their pages were where they should be. Thread-safe. */
final class ModelFigures {

  private static final String OK = "ok";
  private static final String CANCELLED = "cancelled";
  private static final String INTERNAL = "internal";

  private final Map<String, Timer> calls;
  private final Map<Object, Stopwatch> begun = new ConcurrentHashMap<>();
  private final Counter prompt;
  private final Counter cached;
  private final Counter completion;
  private final Counter hits;
  private final Counter misses;

  ModelFigures(MeterRegistry registry) {
    this.calls =
        Stream.concat(
                Stream.of(OK, CANCELLED, INTERNAL),
                Arrays.stream(InferenceException.Kind.values()).map(ModelFigures::name))
            .collect(
                Collectors.toMap(
                    Function.identity(),
                    outcome ->
                        LatencyBuckets.of(registry, "colony.model.calls", "outcome", outcome)));
    this.prompt = registry.counter("colony.model.tokens", "kind", "prompt");
    this.cached = registry.counter("colony.model.tokens", "kind", "cached");
    this.completion = registry.counter("colony.model.tokens", "kind", "completion");
    this.hits = registry.counter("colony.model.pages", "result", "hit");
    this.misses = registry.counter("colony.model.pages", "result", "miss");
    Gauge.builder("colony.model.calls.active", begun, Map::size).register(registry);
    Gauge.builder("colony.model.calls.oldest", this, ModelFigures::oldestSeconds)
        .baseUnit("seconds")
        .register(registry);
  }

  private static String name(InferenceException.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** The same gateway, whose calls are counted. */
  InferenceGateway measured(InferenceGateway gateway) {
    return new MeasuredGateway(gateway, this);
  }

  /**
   * A call is under way.
   *
   * @param call itself, which {@link #over} is told, too
   */
  void began(Object call, Stopwatch watch) {
    begun.put(call, watch);
  }

  /** It is not any more. */
  void over(Object call) {
    begun.remove(call);
  }

  private double oldestSeconds() {
    return begun.values().stream().mapToLong(Stopwatch::elapsedNanos).max().orElse(0) / 1e9;
  }

  void answered(InferenceRequest request, InferenceReply reply, Duration took) {
    ended(OK, took);
    prompt.increment(reply.usage().promptTokens());
    cached.increment(reply.usage().cachedTokens());
    completion.increment(reply.usage().completionTokens());
    if (!request.prompt().pages().isEmpty()) {
      (reply.resident() ? hits : misses).increment(request.prompt().pages().size());
    }
  }

  void failed(Throwable failure, Duration took) {
    ended(
        switch (Backoff.cause(failure)) {
          case InferenceException known -> name(known.kind());
          case CancellationException cancelled -> CANCELLED;
          default -> INTERNAL;
        },
        took);
  }

  private void ended(String outcome, Duration took) {
    calls.get(outcome).record(took);
  }

  /** A gateway whose calls are counted. What is cancelled here is cancelled there. */
  record MeasuredGateway(InferenceGateway gateway, ModelFigures figures)
      implements InferenceGateway {

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
}
