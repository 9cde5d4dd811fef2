package dev.colony.agent.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.agent.lifecycle.AgentState.Phase;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every command in every phase, and the rules that need more than one. */
class LifecycleTest {

  private static final Action ACTION =
      Action.external("a0", "echo", JsonNodeFactory.instance.nullNode(), false);
  private static final RunId RUN = new RunId("r1");

  /** Leads to each phase. */
  private static final Map<Phase, List<AgentCommand>> PATHS = paths();

  /** One command of each kind. */
  private static final List<AgentCommand> COMMANDS =
      List.of(
          claim(),
          new AgentCommand.AcceptRun(Life.request("r2"), Life.AT),
          answer(),
          failure(),
          new AgentCommand.IntendAction(ACTION, Life.AT),
          step(),
          end(),
          new AgentCommand.ConfirmPublished(RUN, Life.AT));

  /** What is journaled, phase by phase, in the order of {@link #COMMANDS}; "-" is a refusal. */
  private static final Map<Phase, List<String>> TABLE =
      Map.of(
          Phase.UNBORN, List.of("Spawned Claimed", "-", "-", "-", "-", "-", "-", "-"),
          Phase.IDLE, List.of("Claimed", "RunAccepted", "-", "-", "-", "-", "-", "-"),
          Phase.PLANNING,
              List.of(
                  "Claimed",
                  "RunAccepted",
                  "ModelAnswered",
                  "ModelFailed",
                  "ActionIntended",
                  "StepCompleted",
                  "RunCompleted",
                  "-"),
          Phase.ANSWERED,
              List.of(
                  "Claimed",
                  "RunAccepted",
                  "-",
                  "-",
                  "ActionIntended",
                  "StepCompleted",
                  "RunCompleted",
                  "-"),
          Phase.MODEL_FAILED,
              List.of(
                  "Claimed",
                  "RunAccepted",
                  "-",
                  "-",
                  "ActionIntended",
                  "StepCompleted",
                  "RunCompleted",
                  "-"),
          Phase.INTENDED,
              List.of("Claimed", "RunAccepted", "-", "-", "-", "StepCompleted", "-", "-"),
          Phase.ENDED,
              List.of("Claimed", "RunAccepted", "-", "-", "-", "-", "-", "ResultPublished"));

  @TestFactory
  List<DynamicTest> everyCommandInEveryPhase() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      for (int i = 0; i < COMMANDS.size(); i++) {
        AgentCommand command = COMMANDS.get(i);
        String expected = TABLE.get(phase).get(i);
        tests.add(
            DynamicTest.dynamicTest(
                phase + " " + command.getClass().getSimpleName(),
                () -> assertThat(journaled(in(phase), command)).isEqualTo(expected)));
      }
    }
    return tests;
  }

  @Test
  void theTableKnowsEveryPhaseAndEveryCommand() {
    assertThat(TABLE.keySet()).containsExactlyInAnyOrder(Phase.values());
    assertThat(COMMANDS.stream().map(Object::getClass).collect(Collectors.toSet()))
        .isEqualTo(Set.of(AgentCommand.class.getPermittedSubclasses()));
  }

  @Test
  void aRunAskedForTwiceIsOneRun() {
    Life life = life(Phase.PLANNING);
    assertThat(life.tell(new AgentCommand.AcceptRun(Life.request("r1"), Life.AT)))
        .isInstanceOf(Verdict.Repeated.class);
    life.live(() -> false);
    assertThat(life.tell(new AgentCommand.AcceptRun(Life.request("r1"), Life.AT)))
        .isInstanceOf(Verdict.Repeated.class);
  }

  @Test
  void asManyFinishedRunsAreRememberedAsTheLimitSays() {
    Life life = life(Phase.IDLE);
    for (int i = 0; i < 5; i++) {
      life.tell(new AgentCommand.AcceptRun(Life.request("r" + i), Life.AT));
      life.live(() -> false);
    }
    assertThat(life.state.finished()).containsExactly(new RunId("r3"), new RunId("r4"));
  }

  @Test
  void aRunBeyondTheQueueIsRefusedAndSaysWhy() {
    Life life = life(Phase.IDLE);
    for (int i = 0; i < Life.LIMITS.maxQueuedRuns(); i++) {
      assertThat(life.tell(new AgentCommand.AcceptRun(Life.request("r" + i), Life.AT)))
          .isInstanceOf(Verdict.Journal.class);
    }
    assertThat(life.tell(new AgentCommand.AcceptRun(Life.request("more"), Life.AT)))
        .isEqualTo(new Verdict.Refused("the agent has 4 unfinished runs, as many as it may have"));
  }

  @Test
  void onlyTheFirstAndTheLastOfSeveralRunsChangeWhetherAnythingIsOutstanding() {
    Life life = life(Phase.IDLE);
    life.tell(new AgentCommand.AcceptRun(Life.request("r1"), Life.AT));
    life.tell(new AgentCommand.AcceptRun(Life.request("r2"), Life.AT));
    life.live(() -> false);
    assertThat(life.journal)
        .filteredOn(AgentEvent.RunAccepted.class::isInstance)
        .extracting(event -> ((AgentEvent.RunAccepted) event).ahead())
        .containsExactly(0, 1);
    assertThat(life.journal)
        .filteredOn(AgentEvent.ResultPublished.class::isInstance)
        .extracting(event -> ((AgentEvent.ResultPublished) event).left())
        .containsExactly(1, 0);
  }

  @Test
  void theResultOfAnotherRunIsNotConfirmed() {
    assertThat(
            new Lifecycle(Life.LIMITS)
                .decide(
                    in(Phase.ENDED),
                    new AgentCommand.ConfirmPublished(new RunId("other"), Life.AT)))
        .isInstanceOf(Verdict.Refused.class);
  }

  @Test
  void anEventWithoutItsRunIsABrokenJournal() {
    assertThatThrownBy(() ->
            Life.replay(
                List.of(new AgentEvent.StepCompleted(0, ActionOutcome.interrupted("a0"), Life.AT))))
        .isInstanceOf(IllegalStateException.class);
  }

  private static String journaled(AgentState state, AgentCommand command) {
    return switch (new Lifecycle(Life.LIMITS).decide(state, command)) {
      case Verdict.Journal journal ->
          journal.events().stream()
              .map(event -> event.getClass().getSimpleName())
              .collect(Collectors.joining(" "));
      case Verdict.Repeated repeated -> "=";
      case Verdict.Refused refused -> "-";
    };
  }

  private static AgentState in(Phase phase) {
    AgentState state = life(phase).state;
    assertThat(state.phase()).isEqualTo(phase);
    return state;
  }

  private static Life life(Phase phase) {
    Life life = new Life(new Script(List.of()), () -> false);
    PATHS.get(phase).forEach(life::tell);
    return life;
  }

  private static Map<Phase, List<AgentCommand>> paths() {
    AgentCommand accept = new AgentCommand.AcceptRun(Life.request("r1"), Life.AT);
    Map<Phase, List<AgentCommand>> paths = new EnumMap<>(Phase.class);
    paths.put(Phase.UNBORN, List.of());
    paths.put(Phase.IDLE, List.of(claim()));
    paths.put(Phase.PLANNING, List.of(claim(), accept));
    paths.put(Phase.ANSWERED, List.of(claim(), accept, answer()));
    paths.put(Phase.MODEL_FAILED, List.of(claim(), accept, failure()));
    paths.put(
        Phase.INTENDED,
        List.of(claim(), accept, answer(), new AgentCommand.IntendAction(ACTION, Life.AT)));
    paths.put(Phase.ENDED, List.of(claim(), accept, end()));
    return paths;
  }

  private static AgentCommand claim() {
    return new AgentCommand.Claim(Optional.of(Life.BLUEPRINT), "node", Life.AT);
  }

  private static AgentCommand answer() {
    return new AgentCommand.RecordReply(Life.reply("c", "text"), true, Life.AT);
  }

  private static AgentCommand failure() {
    return new AgentCommand.RecordModelFailure(new ModelFailure("no answer", true), Life.AT);
  }

  private static AgentCommand step() {
    return new AgentCommand.CompleteStep(
        ActionOutcome.succeeded("a0", JsonNodeFactory.instance.nullNode()), Life.AT);
  }

  private static AgentCommand end() {
    return new AgentCommand.CompleteRun(
        AgentRun.completed(RUN, JsonNodeFactory.instance.nullNode(), RunStats.NONE), Life.AT);
  }
}
