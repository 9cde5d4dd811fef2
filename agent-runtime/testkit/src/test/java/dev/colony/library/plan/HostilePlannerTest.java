package dev.colony.library.plan;

import static dev.colony.library.plan.PlanScript.TYPES;
import static dev.colony.library.plan.PlanScript.action;
import static dev.colony.library.plan.PlanScript.clerk;
import static dev.colony.library.plan.PlanScript.plan;
import static dev.colony.library.plan.PlanScript.write;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunBudget;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models that reply anything: each run ends in a stated failure, and its tokens are booked. */
class HostilePlannerTest {

  private static final RunBudget TOKENS =
      new RunBudget(Optional.empty(), Optional.empty(), Optional.of(2_000L), Optional.empty());

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(PlanArgs args) {
    return TestAgent.of(clerk(args)).types(TYPES).model(model).start();
  }

  /** Of digits that do not repeat: a reply that loops is left before its usage comes. */
  private static final String MEGABYTE =
      IntStream.range(0, 190_000).mapToObj(Integer::toString).collect(Collectors.joining());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "I think I should not.",
        "{\"say\": \"x\", \"calls\": [{\"tool\": \"rm\", \"arguments\": {}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": 7}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": [[[]]]}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": [{\"name\": \"a b\","
            + " \"action\": \"desk.write\", \"parameters\": []}]}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": \"$results.a\"}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": [{\"name\": \"a\","
            + " \"action\": \"desk.steal\", \"parameters\": {}}]}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": [{\"name\": \"a\","
            + " \"action\": \"desk.write\", \"parameters\": {\"text\": {\"a\": [1]}}}]}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": [{\"name\": \"a\","
            + " \"goal\": \"x\", \"delegate\": \"hacker\"}]}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": [{\"name\": \"a\","
            + " \"goal\": \"x\", \"expects\": {\"schema\": {\"type\": 3}}}]}}]}"
      })
  void aModelThatNeverGivesAPlanEndsInAStatedFailure(String said) {
    model.expect().anyTimes().usage(100, 0, 10).answer(prompt -> said);
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      AgentRun run = agent.run("Write");
      assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(run.error().orElseThrow()).contains("the model gave no usable answer");
      assertThat(run.stats().usage().promptTokens()).isEqualTo(100L * model.count());
      assertThat(run.stats().usage().completionTokens()).isEqualTo(10L * model.count());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReplyOfAMegabyteEndsInAStatedFailureAndIsBooked(boolean tools) {
    FakeModel server = tools ? model : model.withoutTools();
    server.expect().anyTimes().usage(100, 0, 250_000).answer(prompt -> "{\"plan\": \"" + MEGABYTE);
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      AgentRun run = agent.run("Write");
      assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(run.error().orElseThrow())
          .contains("no usable answer in 3 iterations: ")
          .contains(
              tools
                  ? "it calls no tool"
                  : "it is not JSON (Unexpected end-of-input: was expecting");
      assertThat(run.stats().usage().promptTokens()).isEqualTo(100L * model.count());
      assertThat(run.stats().usage().completionTokens()).isEqualTo(250_000L * model.count());
    }
  }

  @Test
  void aPlanOfAMegabyteOfArgumentsEndsInAStatedFailureAndIsBooked() {
    model
        .expect()
        .anyTimes()
        .usage(100, 0, 250_000)
        .calls("plan", plan(write("a", "x".repeat(1 << 20))));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      AgentRun run = agent.run("Write");
      assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(run.error().orElseThrow())
          .containsPattern(
              "no usable answer in 3 iterations: it has [\\d,]+ bytes, and a reply may have [\\d,]+"
                  + " at most: write a shorter one");
      assertThat(run.stats().usage().completionTokens()).isEqualTo(250_000L * model.count());
    }
  }

  /** What a plan comes to, or an action takes, that is not there or not the agent's. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "$results.elsewhere",
        "$results.a.text.deeper.still",
        "$results.a.0",
        "$global.boss.secret",
        "$shared.escalations/other",
        "$nothing",
        "$results.a~2.text"
      })
  void aForgedReferenceEndsInAStatedFailureWithinTheBoundOfRevisions(String forged) {
    ObjectNode plan =
        plan(write("a", "one"), write("b", forged)).put("mode", "start_anew").put("result", forged);
    model.expect().anyTimes().usage(100, 0, 200).calls("plan", plan);
    try (TestAgent agent = agent(PlanArgs.NONE.rules(PlanArgs.Rules.DEFAULTS.maxReplanCycles(3)))) {
      AgentRun run = agent.run("Write");
      assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(run.error().orElseThrow()).isNotBlank();
      assertThat(run.stats().usage().promptTokens()).isEqualTo(100L * model.count());
      assertThat(run.stats().usage().completionTokens()).isEqualTo(200L * model.count());
      assertThat(model.count()).isLessThanOrEqualTo(8);
    }
  }

  /** Endless in another way each: it never fails, and never says what it comes to. */
  @ParameterizedTest
  @ValueSource(strings = {"add", "revise", "backtrack"})
  void aModelThatAlwaysAddsMoreIsStoppedByTheBudgetOfItsTokens(String mode) {
    ObjectNode more = plan(write("a", "x")).put("mode", mode).put("back_to", "a");
    model.expect().anyTimes().usage(100, 0, 10).calls("plan", more);
    AgentBlueprint bounded = clerk(PlanArgs.NONE).budget(TOKENS);
    try (TestAgent agent = TestAgent.of(bounded).types(TYPES).model(model).start()) {
      AgentRun run = agent.run("Write");
      assertThat(run.output().path("text").asText()).isEqualTo("x");
      assertThat(run.partial().orElseThrow()).contains("tokens; it may take");
      assertThat(run.stats().usage().promptTokens()).isEqualTo(100L * model.count());
      assertThat(model.count()).isLessThanOrEqualTo(20);
    }
  }

  @Test
  void aModelThatRevisesWithoutEndIsStoppedAndAllItsTokensAreBooked() {
    ObjectNode again =
        plan(action("a", "desk.burn", Map.of("paper", "x"))).put("mode", "start_anew");
    model.expect().anyTimes().usage(100, 0, 10).calls("plan", again);
    try (TestAgent agent = agent(PlanArgs.NONE.rules(PlanArgs.Rules.DEFAULTS.maxReplanCycles(3)))) {
      AgentRun run = agent.run("Burn it");
      assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(run.error().orElseThrow())
          .contains("the plan was revised 3 times, as often as it may be");
      assertThat(run.stats().usage().promptTokens()).isEqualTo(100L * model.count());
      assertThat(model.count()).isEqualTo(4);
    }
  }
}
