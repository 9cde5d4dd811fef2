package dev.colony.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.gateway.HttpInferenceGateway.ReplicaStatus;
import dev.colony.inference.replicas.EngineLoad;
import dev.colony.server.metrics.AdmissionFigures.ServerFigures;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What is shown of model servers. */
class ServerFiguresTest {

  private static final EngineLoad LOAD =
      new EngineLoad(3, 2, 0.75, OptionalLong.empty(), OptionalInt.empty());

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ServerFigures servers = new ServerFigures(registry);

  private Exposition shown(ReplicaStatus... now) {
    servers.show(List.of(now));
    return Exposition.of(registry.scrape());
  }

  @Test
  void eachServerIsShownWithWhatIsKnownOfIt() {
    Exposition figures =
        shown(
            new ReplicaStatus("gpu1:8000", "serving", Optional.of(LOAD), true, 4, 1.5, 0.125),
            new ReplicaStatus("gpu2:8000", "circuit open", Optional.empty(), false, 0, 0, 0.25));
    assertThat(figures.value("colony_model_server_state{replica=\"gpu1:8000\",state=\"serving\"}"))
        .isEqualTo(1);
    assertThat(
            figures.value(
                "colony_model_server_state{replica=\"gpu2:8000\",state=\"circuit open\"}"))
        .isEqualTo(1);
    Map.of(
            "calls", 4.0,
            "backlog_seconds", 1.5,
            "prefill_seconds", 0.125,
            "events", 1.0,
            "running", 3.0,
            "waiting", 2.0,
            "cache_usage", 0.75)
        .forEach((name, value) ->
            assertThat(figures.value("colony_model_server_" + name + "{replica=\"gpu1:8000\"}"))
                .as(name)
                .isEqualTo(value));
    assertThat(figures.value("colony_model_server_prefill_seconds{replica=\"gpu2:8000\"}"))
        .isEqualTo(0.25);
    assertThat(registry.scrape())
        .contains("colony_model_server_events{replica=\"gpu2:8000\"} 0")
        .doesNotContain("colony_model_server_running{replica=\"gpu2:8000\"}");
    Map<String, MetricsTable.Row> rows = MetricsTable.shipped().rows();
    assertThat(figures.families()).hasSize(8);
    figures
        .families()
        .forEach((name, family) -> {
          assertThat(rows).containsKey(name);
          assertThat(family.type()).isEqualTo(rows.get(name).type());
          assertThat(family.labels()).isEqualTo(rows.get(name).labels());
        });
  }

  @Test
  void serversThatAreGoneAndStatesThatAreOverAreShownNoMore() {
    shown(
        new ReplicaStatus("gpu1:8000", "starting", Optional.of(LOAD), false, 0, 0, 1),
        new ReplicaStatus("gpu2:8000", "serving", Optional.empty(), false, 0, 0, 1));
    shown(new ReplicaStatus("gpu1:8000", "serving", Optional.empty(), false, 0, 0, 1));
    assertThat(registry.scrape())
        .contains("state=\"serving\"")
        .doesNotContain("gpu2", "starting", "colony_model_server_running{");
  }
}
