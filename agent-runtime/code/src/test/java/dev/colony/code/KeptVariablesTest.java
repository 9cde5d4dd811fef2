package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentRun;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Variables that outlive the run in which a cell has set them. */
class KeptVariablesTest extends CodeFixture {

  private static final CodeGenerationActionPolicy.Args KEEPS =
      CodeGenerationActionPolicy.Args.NONE.keptVariables("total", "seen");

  private TestAgent agent(CodeGenerationActionPolicy.Args args) {
    return Desk.clerk(args, sandbox, model, new Desk.Deeds()).start();
  }

  private void cell(String expected, String source) {
    model.expect(expected).answer(Desk.cell(source));
  }

  @Test
  void aLaterRunFindsThemAndNothingElse() {
    cell("seen, total stay for later runs too", "let total = 3, other = 4; complete(total)");
    cell(
        "## Further variables\n- total: 3",
        "const was = total; total += 2; complete([was, typeof other])");
    cell("- total: 5", "total = undefined; complete(0)");
    cell("third", "complete(typeof total)");
    try (TestAgent agent = agent(KEEPS)) {
      assertThat(agent.run("first").output().asInt()).isEqualTo(3);
      agent.crash();
      assertThat(agent.run("second").output().toString()).isEqualTo("[3,\"undefined\"]");
      assertThat(agent.run("once more").output().asInt()).isZero();
      assertThat(agent.run("third").output().asText()).isEqualTo("undefined");
    }
  }

  @Test
  void aRunThatFailsLeavesWhatItsLastWholeCellHasSet() {
    cell("first", "let total = 1");
    cell("first", "total = 2; b.c");
    model.expect("first").answer("{\"end\": \"fail\", \"reason\": \"no way\"}");
    cell("second", "complete(total)");
    try (TestAgent agent = agent(KEEPS)) {
      assertThat(agent.run("first").error()).contains("gave up: no way");
      assertThat(agent.run("second").output().asInt()).isEqualTo(2);
    }
  }

  @Test
  void withoutTheArgumentNothingIsKept() {
    cell("first", "let total = 1; complete(total)");
    cell("second", "complete(typeof total)");
    try (TestAgent agent = agent(CodeGenerationActionPolicy.Args.NONE)) {
      agent.run("first");
      assertThat(agent.run("second").output().asText()).isEqualTo("undefined");
    }
  }

  @Test
  void namesThatNoVariableHasAreRefusedWhereTheyAreWritten() {
    for (String none : List.of("a b", "await", "")) {
      assertThatThrownBy(() -> CodeGenerationActionPolicy.Args.NONE.keptVariables(none))
          .hasMessage("keptVariables: no variable is called " + none);
    }
  }

  /** Wherever the process dies, a later run finds what the run before has counted, once. */
  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void whereverTheProcessDies(KillPoint.Side side) {
    model
        .expect("count")
        .anyTimes()
        .answer(prompt ->
            Desk.cell(
                prompt.text().contains("- total: ")
                    ? "total += notes.weigh({grams: 1}); complete(total)"
                    : "let total = notes.weigh({grams: 1}); complete(total)"));
    int writes =
        KillPoint.walk(
            side,
            point -> {
              try (TestAgent agent =
                  Desk.clerk(KEEPS, sandbox, model, new Desk.Deeds()).killed(point).start()) {
                for (int run = 1; run <= 3; run++) {
                  AgentRun counted = agent.run("count");
                  String when = point + ": " + agent.journal();
                  assertThat(counted.error()).as(when).isEmpty();
                  assertThat(counted.output().asInt()).as(when).isEqualTo(run);
                }
              }
            });
    assertThat(writes).isGreaterThanOrEqualTo(10);
  }
}
