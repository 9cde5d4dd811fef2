package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A model decides for the coordinator of a run. */
class RunPolicyTest {

  private static Rig rig;

  @BeforeAll
  static void start() {
    rig = new Rig();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  /** The answer of the fixed steps, which the same question gives each time. */
  private static JsonNode fixed;

  @ParameterizedTest
  @CsvSource({"minimal, 4", "cache-aware, 1", "code, 1"})
  void theAnswerIsThatOfTheFixedSteps(String policy, int decisions) {
    if (fixed == null) {
      fixed = answer("research");
    }
    JsonNode decided = answer(policy);
    assertThat(decided.path("answer")).isEqualTo(fixed.path("answer"));
    assertThat(decided.path("citations")).hasSameSizeAs(fixed.path("citations"));
    // The calls for words, for a judgement and for the answer are those of actions then, which are
    // not counted.
    assertThat(decided.at("/stats/modelCalls").asInt())
        .isEqualTo(fixed.at("/stats/modelCalls").asInt() - 3 + decisions);
  }

  @Test
  void aPolicyThatThereIsNotIsRefusedInOneLine() {
    Finished refused =
        CommandLineRun.of("run", rig.tree().toString(), "--ask", "x", "--policy", "magic");
    Rig.assertOneLine(
        refused, 2, "a policy is read, research, minimal, cache-aware, code, not: magic");
    Rig.assertOneLine(
        CommandLineRun.of("run", "--resume", "r-1", "--policy", "code"),
        2,
        "--resume knows the source, the question, the policy and the budget");
  }

  @ParameterizedTest
  @ValueSource(strings = {"minimal", "cache-aware", "code"})
  void withoutAModelServerAPolicyThatAsksOneSaysSoInOneLine(String policy) {
    Finished finished =
        rig.run(
            "run",
            rig.tree().toString(),
            "--ask",
            Rig.QUESTION,
            "--policy",
            policy,
            "--config",
            rig.config().toString());
    assertThat(finished.status()).as(finished.err()).isEqualTo(1);
    assertThat(finished.err().lines().filter(line -> line.startsWith("colony: ")))
        .singleElement()
        .asString()
        .contains("planning needs a model", "--model-url");
  }

  private static JsonNode answer(String policy) {
    Finished finished = rig.ask("--policy", policy).await();
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    assertThat(report.path("citations")).isNotEmpty();
    return report;
  }
}
