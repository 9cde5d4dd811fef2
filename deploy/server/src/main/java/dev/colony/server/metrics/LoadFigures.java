package dev.colony.server.metrics;

import dev.colony.node.NodeLoad;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** What waits on this node, asked for at each scrape. */
final class LoadFigures {

  private LoadFigures() {}

  static void show(MeterRegistry registry, Supplier<NodeLoad> load) {
    show(registry, "colony.slots.taken", load, NodeLoad::atWork);
    show(registry, "colony.slots.waiting", load, NodeLoad::waiting);
    show(registry, "colony.inbox.delivering", load, NodeLoad::delivering);
    show(registry, "colony.actions.waiting", load, NodeLoad::computingWaiting);
    show(registry, "colony.actions.abandoned", load, NodeLoad::abandonedThreads);
  }

  private static void show(
      MeterRegistry registry, String name, Supplier<NodeLoad> load, ToIntFunction<NodeLoad> part) {
    Gauge.builder(name, () -> part.applyAsInt(load.get())).register(registry);
  }
}
