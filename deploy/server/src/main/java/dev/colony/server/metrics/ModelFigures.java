package dev.colony.server.metrics;

import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.EmbeddingReply;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.PromptCaches;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.replicas.Replica;
import dev.colony.server.metrics.NodeMetrics.LatencyBuckets;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageEntry;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import dev.colony.vcm.table.PageTableSnapshot;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Model calls, their tokens, and whether their pages were where they should be. Thread-safe. */
final class ModelFigures {

  private static final String OK = "ok";
  private static final String CANCELLED = "cancelled";
  private static final String INTERNAL = "internal";

  private final Map<String, Timer> calls;
  private final Map<Object, AtomicReference<Stopwatch>> begun = new ConcurrentHashMap<>();
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
    Gauge.builder("colony.model.calls.silent", this, ModelFigures::silentSeconds)
        .baseUnit("seconds")
        .register(registry);
  }

  private static String name(InferenceException.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  InferenceGateway measured(InferenceGateway gateway) {
    return new MeasuredGateway(gateway, this);
  }

  /**
   * A call is under way.
   *
   * @param call itself, which {@link #over} is told, too
   * @param heard since when nothing has come of it
   */
  void began(Object call, AtomicReference<Stopwatch> heard) {
    begun.put(call, heard);
  }

  void over(Object call) {
    begun.remove(call);
  }

  private double silentSeconds() {
    return begun.values().stream()
            .map(AtomicReference::get)
            .mapToLong(Stopwatch::elapsedNanos)
            .max()
            .orElse(0)
        / 1e9;
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
      AtomicReference<Stopwatch> heard = new AtomicReference<>(watch);
      Consumer<InferenceDelta> hearing =
          part -> {
            if (!(part instanceof InferenceDelta.Asked)) {
              heard.set(Stopwatch.start());
            }
            parts.accept(part);
          };
      CompletableFuture<InferenceReply> reply =
          gateway.complete(request, hearing).toCompletableFuture();
      // Not before: a call that the gateway refuses by throwing has not begun, and never ends.
      figures.began(reply, heard);
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
    public CompletableFuture<EmbeddingReply> embed(InferenceRequest request) {
      Stopwatch watch = Stopwatch.start();
      CompletableFuture<EmbeddingReply> reply = gateway.embed(request).toCompletableFuture();
      reply.whenComplete((answer, failure) -> {
        if (failure == null) {
          figures.ended(OK, watch.elapsed());
          figures.prompt.increment(answer.usage().promptTokens());
        } else {
          figures.failed(failure, watch.elapsed());
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

  /** Pages in caches, as the page table has them, and hits by chained prefix. Thread-safe. */
  static final class PageFigures implements CallObserver {

    private final MeterRegistry registry;
    private final Counter hits;
    private final Counter misses;
    private final Counter loads;
    private final Counter losses;

    PageFigures(MeterRegistry registry) {
      this.registry = registry;
      this.hits = registry.counter("colony.pages.prefix", "result", "hit");
      this.misses = registry.counter("colony.pages.prefix", "result", "miss");
      this.loads = registry.counter("colony.pages.loaded");
      this.losses = registry.counter("colony.pages.gone");
    }

    /** Shows what the table says of the replica of a node, and of locks and faults. */
    void follow(PageTable table, NodeAddress self, InstantSource clock) {
      Shown shown = new Shown(table, clock);
      Gauge.builder(
              "colony.pages.resident",
              () ->
                  table.snapshot().replicas().stream()
                      .filter(replica -> replica.node().equals(self))
                      .mapToLong(replica -> replica.pages().size())
                      .sum())
          .register(registry);
      for (PageState state : List.of(PageState.LOADING, PageState.EVICTING)) {
        gauge(
            shown,
            "colony.pages." + state.name().toLowerCase(Locale.ROOT),
            "",
            (known, now) ->
                known.replicas().stream()
                    .filter(replica -> replica.node().equals(self))
                    .flatMap(replica -> known.entries(replica.replica(), now).stream())
                    .map(PageEntry::state)
                    .filter(state::equals)
                    .count());
      }
      gauge(shown, "colony.pages.locks", "", (known, now) -> known.locks(now).size());
      gauge(shown, "colony.pages.faults", "", (known, now) -> known.faults(now).size());
      gauge(
          shown,
          "colony.pages.faults.oldest",
          "seconds",
          (known, now) ->
              known.faults(now).stream()
                  .mapToDouble(fault -> fault.age(now).toMillis() / 1000.0)
                  .max()
                  .orElse(0));
      table.onChange(change -> changed(change, self));
    }

    private record Shown(PageTable table, InstantSource clock) {}

    private void gauge(
        Shown shown,
        String name,
        String unit,
        ToDoubleBiFunction<PageTableSnapshot, Instant> value) {
      Gauge.Builder<Shown> gauge =
          Gauge.builder(
              name,
              shown,
              one -> value.applyAsDouble(one.table().snapshot(), one.clock().instant()));
      (unit.isEmpty() ? gauge : gauge.baseUnit(unit)).strongReference(true).register(registry);
    }

    private void changed(ResidencyChange change, NodeAddress self) {
      if (change.node().equals(self)) {
        loads.increment(change.came().size());
        losses.increment(change.gone().size());
      }
    }

    /**
     * A page is a hit if the server found the prompt cached up to its middle at least: its count
     * and ours differ a little.
     */
    @Override
    public void answered(
        Replica replica, InferenceRequest request, Usage usage, OptionalLong cachedTokens) {
      long own = request.prompt().pages().stream().mapToLong(PromptPage::sizeTokens).sum();
      if (own == 0 || cachedTokens.isEmpty()) {
        return;
      }
      // The server counts with its own tokenizer, and has a preamble in front of the pages.
      double scale = Math.min(2, Math.max(0.5, (double) usage.promptTokens() / own));
      double start = 0;
      for (PromptPage page : request.prompt().pages()) {
        boolean hit = cachedTokens.getAsLong() >= (start + page.sizeTokens() / 2.0) * scale;
        (hit ? hits : misses).increment();
        start += page.sizeTokens();
      }
    }
  }
}
