package dev.colony.server.metrics;

import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
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
    Throwable cause =
        failure instanceof CompletionException wrapped && wrapped.getCause() != null
            ? wrapped.getCause()
            : failure;
    ended(
        switch (cause) {
          case InferenceException known -> name(known.kind());
          case CancellationException cancelled -> CANCELLED;
          default -> INTERNAL;
        },
        took);
  }

  private void ended(String outcome, Duration took) {
    calls.get(outcome).record(took);
  }
}
