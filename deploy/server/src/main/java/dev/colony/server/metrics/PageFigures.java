package dev.colony.server.metrics;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.replicas.Replica;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageEntry;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import dev.colony.vcm.table.PageTableSnapshot;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.ToDoubleBiFunction;

/** Pages in caches, as the page table has them, and hits by chained prefix. Thread-safe. */
final class PageFigures implements CallObserver {

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
      Shown shown, String name, String unit, ToDoubleBiFunction<PageTableSnapshot, Instant> value) {
    Gauge.Builder<Shown> gauge =
        Gauge.builder(
            name, shown, one -> value.applyAsDouble(one.table().snapshot(), one.clock().instant()));
    (unit.isEmpty() ? gauge : gauge.baseUnit(unit)).strongReference(true).register(registry);
  }

  private void changed(ResidencyChange change, NodeAddress self) {
    if (change.node().equals(self)) {
      loads.increment(change.came().size());
      losses.increment(change.gone().size());
    }
  }

  /**
   * A page is a hit if the server found the prompt cached up to its middle at least: its count and
   * ours differ a little.
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
