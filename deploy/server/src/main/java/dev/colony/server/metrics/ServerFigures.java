package dev.colony.server.metrics;

import dev.colony.inference.gateway.ReplicaStatus;
import dev.colony.inference.replicas.EngineLoad;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * How each model server stands. Shown are those that are known when they are shown and no others,
 * so that the figures do not grow with servers that come and go. Thread-safe.
 */
final class ServerFigures {

  private final MultiGauge states;
  private final List<Figure> figures = new ArrayList<>();

  /** One that has a value for those servers of which it is known. */
  private record Figure(MultiGauge gauge, Function<ReplicaStatus, List<Double>> value) {}

  ServerFigures(MeterRegistry registry) {
    states = MultiGauge.builder("colony.model.server.state").register(registry);
    figure(registry, "calls", "", ReplicaStatus::calls);
    figure(registry, "backlog", "seconds", ReplicaStatus::backlogSeconds);
    figure(registry, "prefill", "seconds", ReplicaStatus::prefillSeconds);
    figure(registry, "events", "", server -> server.events() ? 1 : 0);
    told(registry, "running", EngineLoad::running);
    told(registry, "waiting", EngineLoad::waiting);
    told(registry, "cache.usage", EngineLoad::cacheUsage);
  }

  private void figure(
      MeterRegistry registry, String name, String unit, ToDoubleFunction<ReplicaStatus> value) {
    MultiGauge.Builder gauge = MultiGauge.builder("colony.model.server." + name);
    figures.add(
        new Figure(
            (unit.isEmpty() ? gauge : gauge.baseUnit(unit)).register(registry),
            server -> List.of(value.applyAsDouble(server))));
  }

  /** What servers tell of their load. */
  private void told(MeterRegistry registry, String name, ToDoubleFunction<EngineLoad> value) {
    figures.add(
        new Figure(
            MultiGauge.builder("colony.model.server." + name).register(registry),
            server -> server.load().stream().map(value::applyAsDouble).toList()));
  }

  /** Shows these servers, and those of before no more. */
  synchronized void show(List<ReplicaStatus> servers) {
    states.register(
        servers.stream()
            .<Row<?>>map(one -> Row.of(Tags.of("replica", one.id(), "state", one.state()), 1))
            .toList(),
        true);
    for (Figure figure : figures) {
      List<Row<?>> rows = new ArrayList<>();
      for (ReplicaStatus one : servers) {
        figure.value().apply(one).forEach(v -> rows.add(Row.of(Tags.of("replica", one.id()), v)));
      }
      figure.gauge().register(rows, true);
    }
  }
}
