package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.PriceTable;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The bounds of a run, and what policies may not do. */
class EffectsTest {

  private static final Usage USED = new Usage(100, 40, 10);

  @Test
  void aRunThatNeverEndsIsEndedByItsIterations() {
    Life life = begun(Life.BLUEPRINT);
    for (int i = 0; i < 100; i++) {
      life.tell(LifeIn.act("a" + i));
    }
    assertThat(error(life)).isEqualTo("the run took 100 iterations, as many as it may");
  }

  @Test
  void theBlueprintsBudgetIsWhatARunMayTake() {
    Life life = begun(Life.BLUEPRINT.budget(RunBudget.OF_NODE.iterations(2)));
    life.tell(LifeIn.act("a"));
    life.tell(LifeIn.act("b"));
    assertThat(error(life)).isEqualTo("the run took 2 iterations, as many as it may");
  }

  @Test
  void aRunMayTakeNoMoreThanTheNodeAllowsWhateverItsBlueprintSays() {
    RunLimits limits =
        new RunLimits(
            RunBudget.OF_NODE.iterations(10).time(Duration.ofMinutes(1)),
            RunBudget.OF_NODE.iterations(50).time(Duration.ofHours(1)).tokens(1_000),
            4,
            2,
            10_000,
            1_000,
            3,
            PriceTable.FREE,
            Life.LIMITS.suspension(),
            Life.LIMITS.step());
    assertThat(limits.of(RunBudget.OF_NODE))
        .isEqualTo(RunBudget.OF_NODE.iterations(10).time(Duration.ofMinutes(1)).tokens(1_000));
    assertThat(
            limits.of(
                RunBudget.OF_NODE
                    .iterations(60)
                    .time(Duration.ofHours(2))
                    .tokens(10)
                    .cost(BigDecimal.ONE)))
        .isEqualTo(
            RunBudget.OF_NODE
                .iterations(50)
                .time(Duration.ofHours(1))
                .tokens(10)
                .cost(BigDecimal.ONE));
  }

  @Test
  void tokensBoundARunWithinAStep() {
    Life life = begun(Life.BLUEPRINT.budget(RunBudget.OF_NODE.tokens(110)));
    life.tell(answer());
    assertThat(error(life)).isEqualTo("the run took 110 tokens; it may take 110");
  }

  @Test
  void moneyBoundsARun() {
    // 60 of 2, 40 of 0.5 and 10 of 10, all per million.
    Life life = begun(Life.BLUEPRINT.budget(RunBudget.OF_NODE.cost(new BigDecimal("0.00024"))));
    life.tell(answer());
    assertThat(error(life)).isEqualTo("the run cost 0.00024; it may cost 0.00024");
  }

  @Test
  void theModelCallsOfAnActionCountToo() {
    Life life = begun(Life.BLUEPRINT.budget(RunBudget.OF_NODE.tokens(110)));
    Action action = Action.of("a", "echo", null);
    ActionResult result = ActionResult.failed("a", "no").usage(USED);
    life.tell(LifeIn.step(ActionPolicyIterationResult.acted(action, result)));
    assertThat(life.state.active().orElseThrow().stats().cost()).isEqualTo("0.00024");
    assertThat(error(life)).isEqualTo("the run took 110 tokens; it may take 110");
  }

  @Test
  void timeEndsARunThatIsWorkedOnAndOneThatWaits() {
    for (Phase phase : List.of(Phase.ITERATING, Phase.BLOCKED)) {
      Life life = LifeIn.phase(phase);
      life.pass(Duration.ofHours(1).minusMillis(1));
      assertThat(life.state.active().orElseThrow().ended()).isEmpty();
      life.pass(Duration.ofMillis(1));
      assertThat(error(life)).isEqualTo("the run took longer than PT1H");
    }
  }

  @Test
  void aTimerIsNeededWhileARunIsOpenAndItsAgentIsNotPutAway() {
    Effects effects =
        new Effects(Life.AGENT, Optional.of(Map.of()), () -> Optional.of(false), Life.LIMITS);
    Instant over = Life.AT.plus(Duration.ofHours(1));
    assertThat(effects.deadline(LifeIn.phase(Phase.RESTING).state)).isEmpty();
    assertThat(effects.deadline(LifeIn.phase(Phase.ITERATING).state)).contains(over);
    assertThat(effects.deadline(LifeIn.phase(Phase.INTENDED).state)).contains(over);
    assertThat(effects.deadline(LifeIn.phase(Phase.BLOCKED).state))
        .contains(Life.AT.plus(Life.LIMITS.suspension().afterWaiting()));
    assertThat(effects.deadline(LifeIn.phase(Phase.ENDED).state)).isEmpty();
    Life suspended = LifeIn.phase(Phase.ITERATING);
    suspended.command(LifecycleCommand.SUSPEND);
    assertThat(effects.deadline(suspended.state)).isEmpty();
  }

  @Test
  void anActionThatACrashCutOffIsFinishedUnderItsKey() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.tell(new AgentCommand.IntendAction(LifeIn.ACTION, true, StepDelta.NONE, Life.AT));
    life.recover();
    assertThat(life.work())
        .isInstanceOfSatisfying(
            AgentEffect.FinishIntended.class,
            finish -> assertThat(finish.key()).isEqualTo(Life.AGENT + "/r1/0/a0"));
  }

  @Test
  void oneThatMustNotBeRepeatedIsInterruptedInstead() {
    Life life = LifeIn.phase(Phase.INTENDED);
    life.recover();
    life.step();
    assertThat(life.state.active().orElseThrow().history())
        .extracting(call -> call.result().status())
        .containsExactly(ActionResult.Status.INTERRUPTED);
  }

  @Test
  void noneIsBegunAgainForARunThatIsToEnd() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.tell(new AgentCommand.IntendAction(LifeIn.ACTION, true, StepDelta.NONE, Life.AT));
    life.cancel("r1");
    life.recover();
    life.live();
    assertThat(life.executions).isEmpty();
    assertThat(life.published.get(LifeIn.RUN).status()).isEqualTo(AgentRun.Status.CANCELLED);
  }

  @Test
  void anActionIdIsUsedOnce() {
    Life life = begun(Life.BLUEPRINT);
    life.tell(LifeIn.act("a0"));
    assertThat(life.tell(LifeIn.intend()))
        .isEqualTo(new Verdict.Refused("the policy chose the action id a0 twice"));
    life.tell(LifeIn.act("a0"));
    assertThat(error(life)).isEqualTo("the policy chose the action id a0 twice");
  }

  @Test
  void whatWasBegunIsWhatIsReported() {
    Life life = LifeIn.phase(Phase.INTENDED);
    life.tell(LifeIn.act("another"));
    assertThat(error(life)).isEqualTo("the policy began a0 and reports another action");
    AgentEvent.StepCompleted step =
        (AgentEvent.StepCompleted) life.journal.get(life.journal.size() - 3);
    assertThat(step.call().orElseThrow().result().status()).isEqualTo(ActionResult.Status.FAILED);
  }

  @Test
  void whatIsTooLargeForTheJournalFailsTheRun() {
    JsonNode large = JsonNodeFactory.instance.textNode("x".repeat(10_001));
    Life output = begun(Life.BLUEPRINT);
    output.tell(LifeIn.step(ActionPolicyIterationResult.completed(ActionPolicyOutput.of(large))));
    assertThat(error(output)).isEqualTo("the output is larger than 10000 bytes");
    Life exported = begun(Life.BLUEPRINT);
    exported.tell(
        LifeIn.step(
            ActionPolicyIterationResult.completed(
                new ActionPolicyOutput(true, null, Map.of("all", large), List.of()))));
    assertThat(error(exported)).isEqualTo("the output is larger than 10000 bytes");
    Life params = begun(Life.BLUEPRINT);
    Action action = Action.of("a", "echo", large);
    params.tell(
        LifeIn.step(
            ActionPolicyIterationResult.acted(
                action, ActionResult.succeeded("a", JsonNodeFactory.instance.nullNode()))));
    assertThat(error(params))
        .startsWith("a step's record is larger than 10000 bytes, which is colony.agent.max-output");
  }

  @Test
  void entriesThatGrowTooLargeStepByStepFailTheRun() {
    Life life = begun(Life.BLUEPRINT);
    JsonNode half = JsonNodeFactory.instance.textNode("x".repeat(6_000));
    for (String entry : List.of("one", "two")) {
      life.tell(
          new AgentCommand.CompleteStep(
              ActionPolicyIterationResult.skipped(),
              new StepDelta(
                  JsonNodeFactory.instance.objectNode().set(entry, half),
                  List.of(),
                  Map.of(),
                  Optional.empty(),
                  Optional.empty()),
              Life.AT));
    }
    assertThat(error(life))
        .isEqualTo(
            "the policy's entries are larger than 10000 bytes, which is colony.agent.max-output");
  }

  @Test
  void residencyIsCountedForTheFirstPagedCallOnly() {
    Life life = begun(Life.BLUEPRINT);
    for (boolean paged : new boolean[] {false, true, true}) {
      life.tell(new AgentCommand.RecordReply("c", ScriptedIteration.reply("x"), paged, Life.AT));
      life.tell(LifeIn.step(ActionPolicyIterationResult.skipped()));
    }
    var stats = life.state.active().orElseThrow().stats();
    assertThat(stats.placementHits()).isEqualTo(1);
    assertThat(stats.placementMisses()).isZero();
    assertThat(stats.modelCalls()).isEqualTo(3);
    assertThat(stats.usage().promptTokens()).isEqualTo(15);
  }

  @Test
  void aCallCountsWhenItBeginsAndEachTimeThatItDoes() {
    Life life = begun(Life.BLUEPRINT);
    AgentCommand asking = new AgentCommand.RecordAsking("c", 1_000, Life.AT);
    life.tell(asking);
    assertThat(stats(life)).isEqualTo(taken(1, 1_000, 0));
    life.tell(LifeIn.claim());
    life.tell(asking);
    assertThat(stats(life)).isEqualTo(taken(2, 2_000, 0));
    life.tell(answer());
    assertThat(stats(life))
        .as("what the server says in place of the second estimate")
        .isEqualTo(taken(2, 1_000 + USED.promptTokens(), USED.completionTokens()));
    assertThat(life.tell(asking)).isInstanceOf(Verdict.Refused.class);
    life.tell(LifeIn.step(ActionPolicyIterationResult.skipped()));
    assertThat(life.state.active().orElseThrow().stepState().asked()).isEmpty();
  }

  @Test
  void aCallThatFailedCountsWithWhatItTookAndOnceForEachTimeThatItIsMade() {
    Life life = begun(Life.BLUEPRINT);
    AgentCommand asking = new AgentCommand.RecordAsking("c", 1_000, Life.AT);
    AgentCommand failed = new AgentCommand.RecordFailure("c", new Usage(900, 0, 50), Life.AT);
    life.tell(asking);
    life.tell(failed);
    assertThat(stats(life)).isEqualTo(taken(1, 900, 50));
    life.recover();
    assertThat(stats(life)).as("what the journal says").isEqualTo(taken(1, 900, 50));
    life.tell(asking);
    life.tell(answer());
    assertThat(stats(life))
        .isEqualTo(taken(2, 900 + USED.promptTokens(), 50 + USED.completionTokens()));
    life.tell(new AgentCommand.RecordFailure("other", new Usage(7, 0, 1), Life.AT));
    assertThat(stats(life))
        .as("of a run without a bound, nothing was taken before")
        .isEqualTo(taken(2, 907 + USED.promptTokens(), 51 + USED.completionTokens()));
  }

  private static List<Long> stats(Life life) {
    RunStats stats = life.state.active().orElseThrow().stats();
    return List.of(
        (long) stats.modelCalls(), stats.usage().promptTokens(), stats.usage().completionTokens());
  }

  private static List<Long> taken(long calls, long promptTokens, long completionTokens) {
    return List.of(calls, promptTokens, completionTokens);
  }

  @Test
  void anAgentWithoutWorkHasNothingToDoInAnyState() {
    for (AgentState state : AgentState.values()) {
      LifeIn.state(state, Life.BLUEPRINT.kind())
          .filter(life -> !life.state.state().terminal() && life.state.active().isEmpty())
          .ifPresent(life -> assertThat(life.work()).isInstanceOf(AgentEffect.Nothing.class));
    }
  }

  private static AgentCommand answer() {
    InferenceReply reply = InferenceReply.text("call", "text", USED, "replica", true);
    return new AgentCommand.RecordReply("c", reply, true, Life.AT);
  }

  private static Life begun(AgentBlueprint blueprint) {
    Life life = new Life(new Life.Nature(blueprint, Script.of(), Map.of(), false), new LifeBoard());
    life.recover();
    life.accept("r1");
    return life;
  }

  /** How the run ends. */
  private static String error(Life life) {
    life.live();
    return life.published.get(LifeIn.RUN).error().orElseThrow();
  }
}
