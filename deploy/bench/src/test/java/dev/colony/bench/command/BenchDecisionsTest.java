package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bench of decisions makes as many as it is asked for, of agents that do not all fit. */
class BenchDecisionsTest {

  private static Finished bench(String... more) {
    String[] line = {
      "bench", "decisions", "--replicas=4", "--agents=60", "--pages=20", "--warmup=200", "--json"
    };
    String[] all = Arrays.copyOf(line, line.length + more.length);
    System.arraycopy(more, 0, all, line.length, more.length);
    return CommandLineRun.of(all);
  }

  @Test
  void allDecisionsAreTimed() {
    Finished finished = bench("--cache=60", "--ops=3000");
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    assertThat(report.path("pages").asInt()).isEqualTo(1_200);
    assertThat(report.path("arrivals").path("count").asInt()).isPositive();
    assertThat(
            report.path("arrivals").path("count").asInt()
                + report.path("ends").path("count").asInt())
        .isEqualTo(3_000);
    assertThat(report.path("waiting").asDouble()).as("they do not fit").isPositive();
  }

  @Test
  void whereAllFitNoneWaits() {
    assertThat(bench("--cache=2000", "--ops=3000").json().path("waiting").asDouble()).isZero();
  }

  @Test
  void bothKindsAreSampledByJmh() {
    JsonNode report = bench("--cache=60", "--jmh", "--forks=0", "--seconds=1").json();
    for (String kind : List.of("arrivals", "ends")) {
      JsonNode sampled = report.path(kind);
      assertThat(sampled.path("count").asLong()).as(kind).isGreaterThan(100);
      assertThat(sampled.path("p50Micros").asDouble())
          .as(kind)
          .isPositive()
          .isLessThanOrEqualTo(sampled.path("p99Micros").asDouble());
    }
  }
}
