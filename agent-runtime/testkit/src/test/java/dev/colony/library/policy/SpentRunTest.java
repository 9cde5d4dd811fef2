package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunBudget.WhenSpent;
import dev.colony.agent.RunId;
import dev.colony.library.plan.CacheAwareActionPolicy;
import dev.colony.library.plan.PlanArgs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a run that a model plans comes to at the bounds of its budget. */
class SpentRunTest {

  private static final String ONE_TURN = "you have one turn to finish";
  private static final Map<String, Object> GOAL = Map.of("goals", "Greet");

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(RunBudget budget) {
    return Notes.agent(Notes.clerk().budget(budget), model);
  }

  private void acts(String text) {
    model.expect("## What you may still use").act("notes.add", Map.of("text", text));
  }

  @Test
  void theModelCountsDownAndIsToldOnceItHasOneTurnToFinish() {
    model.expect("- 3 of 3 iterations").act("notes.add", Map.of("text", "one"));
    model.expect("- 2 of 3 iterations").act("notes.add", Map.of("text", "two"));
    model
        .expect("of 3 iterations: " + ONE_TURN, "Call `complete`", "- 1 of 3 iterations")
        .complete("hello");
    try (TestAgent agent = agent(RunBudget.OF_NODE.iterations(3))) {
      AgentRun run = agent.run(GOAL);
      assertThat(run.output().asText()).isEqualTo("hello");
      assertThat(run.partial()).contains("the run came near to its bound of 3 iterations");
      assertThat(AgentRun.fromJson(run.toJson())).isEqualTo(run);
    }
    assertThat(model.prompts().get(1).text()).doesNotContain(ONE_TURN);
  }

  @Test
  void whatIsLeftStandsBehindAllThatStaysTheSame() {
    acts("one");
    acts("two");
    acts("three");
    model.expect(ONE_TURN).complete("hello");
    try (TestAgent agent = agent(RunBudget.OF_NODE.iterations(4))) {
      agent.run(GOAL);
    }
    List<String> prompts = model.prompts().stream().map(FakeModel.Prompt::text).toList();
    for (int i = 1; i < prompts.size(); i++) {
      String before = prompts.get(i - 1);
      String same = before.split("## (Variables|What you may still use)")[0].stripTrailing();
      assertThat(prompts.get(i)).startsWith(same);
      assertThat(PlanningPrompt.shared(before, prompts.get(i))).isGreaterThan(0.7);
    }
  }

  @Test
  void tokensAndMoneyAndTimeComeToTheirEndLikewise() {
    for (RunBudget budget :
        List.of(RunBudget.OF_NODE.tokens(1_000), RunBudget.OF_NODE.cost(new BigDecimal("0.001")))) {
      model.expect("- 7 of 7").act("notes.add", Map.of("text", "hi")).usage(400, 0, 100);
      model.expect(ONE_TURN).complete("hello").usage(100, 0, 10);
      try (TestAgent agent =
          TestAgent.of(Notes.clerk().budget(budget))
              .types(Notes.TYPES)
              .model(model)
              .settings(
                  """
                  colony.agent.run.usual.iterations = 7
                  colony.inference.budget.usual-model { prompt = 1, completion = 1 }
                  """)
              .start()) {
        AgentRun run = agent.run(GOAL);
        assertThat(run.partial().orElseThrow()).containsAnyOf("1,000 tokens", "a cost of 0.001");
      }
    }
    model.expect("Greet").act("notes.publish", Map.of("text", "hi"));
    model.expect("of a time of PT10M: " + ONE_TURN).complete("hello");
    try (TestAgent agent = agent(RunBudget.OF_NODE.time(Duration.ofMinutes(10)))) {
      RunId run = agent.ask(GOAL);
      agent.settle();
      agent.advance(Duration.ofMinutes(9).plusSeconds(1));
      agent
          .handle()
          .approve(agent.handle().pending().join().getFirst().request(), "eve", "")
          .join();
      agent.settle();
      assertThat(agent.result(run).orElseThrow().partial().orElseThrow()).contains("PT10M");
    }
  }

  @Test
  void aRunThatOverspendsEndsWithAnAnswer() {
    acts("one");
    model.expect(ONE_TURN).act("notes.add", Map.of("text", "two"));
    try (TestAgent agent = agent(RunBudget.OF_NODE.iterations(2))) {
      AgentRun run = agent.run(GOAL);
      assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
      assertThat(run.output().asText()).isEqualTo("scripted");
      assertThat(run.partial()).contains("the run took 2 iterations, as many as it may");
    }
  }

  @Test
  void aCallThatTakesAllAtOnceLeavesWhatTheLastActionGave() {
    model.expect("Greet").act("notes.add", Map.of("text", "hi")).usage(5_000, 0, 10);
    try (TestAgent agent = agent(RunBudget.OF_NODE.tokens(1_000))) {
      AgentRun run = agent.run(GOAL);
      assertThat(run.output().path("text").asText()).isEqualTo("hi");
      assertThat(run.partial()).contains("the run took 5010 tokens; it may take 1000");
    }
  }

  @Test
  void aRunThatHasNothingFails() {
    model.expect("Greet").act("notes.burn", Map.of("text", "hi")).usage(5_000, 0, 10);
    try (TestAgent agent = agent(RunBudget.OF_NODE.tokens(1_000))) {
      AgentRun run = agent.run(GOAL);
      assertThat(run.error()).contains("the run took 5010 tokens; it may take 1000");
    }
  }

  @Test
  void aCompletionThatNoIterationIsLeftForIsTakenBeforeItsActions() {
    acts("one");
    model
        .expect(ONE_TURN)
        .calls("notes.add", Map.of("text", "two"), "complete", Map.of("result", "done"));
    try (TestAgent agent = agent(RunBudget.OF_NODE.iterations(2))) {
      AgentRun run = agent.run(GOAL);
      assertThat(run.output().asText()).isEqualTo("done");
      assertThat(agent.steps().actions()).hasSize(1);
    }
  }

  @Test
  void actionsOfAnEarlierReplyMakeRoomForTheTurnToFinish() {
    model.expect("Greet").calls("notes.add", Map.of("text", "1"), "notes.add", Map.of("text", "2"));
    model.expect("not taken, since hardly anything is left", ONE_TURN).complete("one");
    try (TestAgent agent = agent(RunBudget.OF_NODE.iterations(2))) {
      assertThat(agent.run(GOAL).output().asText()).isEqualTo("one");
    }
  }

  @Test
  void aPersonIsAskedForMoreAndTheRunGoesOnWithIt() {
    acts("one");
    model.expect(ONE_TURN, "a person is asked for more").act("notes.add", Map.of("text", "two"));
    model.expect("- 2 of 4 iterations").complete("hello");
    try (TestAgent agent = agent(RunBudget.OF_NODE.iterations(2).whenSpent(WhenSpent.SUSPEND))) {
      RunId run = agent.ask(GOAL);
      agent.settle();
      assertThat(agent.state()).isEqualTo(AgentState.SUSPENDED);
      assertThat(agent.handle().pending().join().getFirst().request()).isEqualTo("budget");
      agent.crash();
      agent.handle().approve("budget", "eve", "").join();
      agent.settle();
      AgentRun ended = agent.result(run).orElseThrow();
      assertThat(ended.output().asText()).isEqualTo("hello");
      assertThat(ended.partial()).isEmpty();
    }
    assertThat(model.prompts().getLast().text()).doesNotContain(ONE_TURN);
  }

  @Test
  void aPersonWhoDeniesMoreGetsWhatThereIs() {
    KillPoint.walk(point -> {
      model.expect("Greet").anyTimes().act("notes.add", Map.of("text", "hi"));
      try (TestAgent agent =
          TestAgent.of(
                  Notes.clerk()
                      .budget(RunBudget.OF_NODE.iterations(2).whenSpent(WhenSpent.SUSPEND)))
              .types(Notes.TYPES)
              .model(model)
              .killed(point)
              .start()) {
        RunId run = agent.ask(GOAL);
        agent.settle();
        agent.handle().deny("budget", "eve", "enough").join();
        agent.settle();
        AgentRun ended = agent.result(run).orElseThrow();
        assertThat(ended.status()).isEqualTo(AgentRun.Status.COMPLETED);
        assertThat(ended.output().asText()).isEqualTo("scripted");
        assertThat(ended.partial().orElseThrow())
            .isEqualTo(
                "the run took 2 iterations, as many as it may; more was denied by eve: enough");
        agent.handle().approve("budget", "eve", "").join();
        agent.settle();
        assertThat(agent.result(run)).contains(ended);
      }
    });
  }

  @Test
  void aPlanEndsWithWhatItsLastActionGave() {
    AgentBlueprint planner =
        AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE))
            .capability(CapabilityBlueprint.of(Blueprint.of("test.notes")))
            .budget(RunBudget.OF_NODE.iterations(1));
    model
        .expect("Plan how", ONE_TURN)
        .calls(
            "plan",
            Map.of(
                "actions",
                List.of(
                    Map.of(
                        "name", "x", "action", "notes.add", "parameters", Map.of("text", "x")))));
    try (TestAgent agent = TestAgent.of(planner).types(Notes.TYPES).model(model).start()) {
      AgentRun run = agent.run("Greet");
      assertThat(run.error()).isEmpty();
      assertThat(run.output().path("text").asText()).isEqualTo("x");
    }
  }
}
