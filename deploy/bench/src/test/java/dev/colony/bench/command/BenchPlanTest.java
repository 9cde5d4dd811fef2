package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.Rig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The benchmark of plans says what it found, and that is what is asked of plans. */
class BenchPlanTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void theFiguresAreThoseThatAreAsked() {
    Finished finished =
        rig.run(
            "bench",
            "plan",
            "--parts",
            "6",
            "--rounds",
            "4",
            "--steps",
            "30",
            "--tasks",
            "8",
            "--json");
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    JsonNode order = report.path("order");
    assertThat(order.path("actions").asInt()).isEqualTo(24);
    assertThat(order.path("cacheTokens").asLong())
        .isEqualTo(order.path("workingSetTokens").asLong() / 3);
    assertThat(order.path("cacheAwareTokens").asLong())
        .as("each page at least once")
        .isGreaterThanOrEqualTo(order.path("workingSetTokens").asLong());
    assertThat(order.path("ratio").asDouble()).isBetween(0.01, 0.6);
    for (String agent : new String[] {"chat", "planner", "research"}) {
      JsonNode shares = report.path("sharing").path(agent);
      assertThat(shares.path("prompts").asInt()).as(agent).isEqualTo(30);
      assertThat(shares.path("least").asDouble()).as(agent).isBetween(0.85, 1.0);
      assertThat(shares.path("mean").asDouble())
          .as(agent)
          .isGreaterThanOrEqualTo(shares.path("least").asDouble());
      assertThat(shares.path("below").asInt()).as(agent).isZero();
    }
    assertThat(report.path("sharing").path("outgrown").path("mean").asDouble()).isBetween(0.5, 1.0);
    JsonNode calls = report.path("calls");
    assertThat(calls.path("planned").asInt()).as("8 plans, 2 revisions").isEqualTo(10);
    assertThat(calls.path("oneTool").asInt())
        .as("each action, 2 of them twice, and the end")
        .isEqualTo(calls.path("actions").asInt() + 2 + 8);
    assertThat(calls.path("severalTools").asInt()).isEqualTo(10);
    assertThat(calls.path("ratioToOneTool").asDouble()).isBetween(0.01, 0.6);
  }
}
