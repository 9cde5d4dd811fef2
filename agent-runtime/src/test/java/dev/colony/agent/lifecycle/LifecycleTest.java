package dev.colony.agent.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.lifecycle.AgentSnapshot.Phase;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
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
          new AgentCommand.ConfirmPublished(RUN, Life.AT),
          watch(),
          new AgentCommand.NoticeEvents(Life.SCOPE, new Position(5, 7), Life.AT),
          take(Optional.of(Life.request("woken"))));

  /** What is journaled, phase by phase, in the order of {@link #COMMANDS}; "-" is a refusal. */
  private static final Map<Phase, List<String>> TABLE =
      Map.of(
          Phase.UNBORN,
              List.of("Spawned Claimed", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"),
          Phase.IDLE,
              List.of(
                  "Claimed",
                  "RunAccepted",
                  "-",
                  "-",
                  "-",
                  "-",
                  "-",
                  "-",
                  "ScopesWatched",
                  "EventsNoticed",
                  "RunAccepted EventsTaken"),
          Phase.PLANNING,
              List.of(
                  "Claimed",
                  "RunAccepted",
                  "ModelAnswered",
                  "ModelFailed",
                  "ActionIntended",
                  "StepCompleted",
                  "RunCompleted",
                  "-",
                  "ScopesWatched",
                  "EventsNoticed",
                  "RunAccepted EventsTaken"),
          Phase.ANSWERED,
              List.of(
                  "Claimed",
                  "RunAccepted",
                  "-",
                  "-",
                  "ActionIntended",
                  "StepCompleted",
                  "RunCompleted",
                  "-",
                  "ScopesWatched",
                  "EventsNoticed",
                  "RunAccepted EventsTaken"),
          Phase.MODEL_FAILED,
              List.of(
                  "Claimed",
                  "RunAccepted",
                  "-",
                  "-",
                  "ActionIntended",
                  "StepCompleted",
                  "RunCompleted",
                  "-",
                  "ScopesWatched",
                  "EventsNoticed",
                  "RunAccepted EventsTaken"),
          Phase.INTENDED,
              List.of(
                  "Claimed",
                  "RunAccepted",
                  "-",
                  "-",
                  "-",
                  "StepCompleted",
                  "-",
                  "-",
                  "ScopesWatched",
                  "EventsNoticed",
                  "RunAccepted EventsTaken"),
          Phase.ENDED,
              List.of(
                  "Claimed",
                  "RunAccepted",
                  "-",
                  "-",
                  "-",
                  "-",
                  "-",
                  "ResultPublished",
                  "ScopesWatched",
                  "EventsNoticed",
                  "RunAccepted EventsTaken"));

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
  void aWriteThatIsKnownIsNoticedOnce() {
    Life life = life(Phase.IDLE);
    life.tell(notice(3));
    assertThat(life.tell(notice(3))).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.tell(notice(2))).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.tell(notice(4))).isInstanceOf(Verdict.Journal.class);
    life.tell(take(Optional.empty()));
    assertThat(life.tell(notice(5))).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.tell(notice(6))).isInstanceOf(Verdict.Journal.class);
  }

  @Test
  void aScopeThatIsNotWatchedIsRefused() {
    Life life = life(Phase.IDLE);
    Scope other = Scope.tenant("acme");
    assertThat(life.tell(new AgentCommand.NoticeEvents(other, new Position(1, 1), Life.AT)))
        .isEqualTo(new Verdict.Refused("the agent does not handle events of tenant:acme"));
  }

  @Test
  void eventsThatWereTakenAreNotTakenAgain() {
    Life life = life(Phase.IDLE);
    life.tell(notice(3));
    life.tell(take(Optional.of(Life.request("woken"))));
    assertThat(life.tell(take(Optional.of(Life.request("again")))))
        .isInstanceOf(Verdict.Refused.class);
    assertThat(life.state.queue())
        .extracting(RunRequest::runId)
        .containsExactly(new RunId("woken"));
  }

  @Test
  void nothingIsLeftWhenNeitherRunsNorEventsAre() {
    Life life = life(Phase.IDLE);
    life.tell(new AgentCommand.AcceptRun(Life.request("r1"), Life.AT));
    life.tell(notice(3));
    life.tell(end());
    life.tell(new AgentCommand.ConfirmPublished(RUN, Life.AT));
    assertThat(life.journal.getLast()).isEqualTo(new AgentEvent.ResultPublished(RUN, 1, Life.AT));
    assertThat(life.state.outstanding()).isTrue();
    life.tell(take(Optional.empty()));
    assertThat(((AgentEvent.EventsTaken) life.journal.getLast()).left()).isZero();
    assertThat(life.state.outstanding()).isFalse();
  }

  @Test
  void eventsThatDidNotFitAreStillUnread() {
    Life life = life(Phase.IDLE);
    life.tell(notice(3));
    Position next = new Position(5, 6);
    life.tell(
        new AgentCommand.TakeEvents(
            Life.SCOPE,
            Optional.of(Life.request("woken")),
            new Position(5, 5),
            Optional.of(next),
            Life.AT));
    assertThat(((AgentEvent.EventsTaken) life.journal.getLast()).left()).isEqualTo(2);
    assertThat(life.state.watches())
        .containsExactly(new Watch(Life.SCOPE, Life.GLOBS, new Position(5, 5), next, next));
  }

  @Test
  void eventsAreTakenEvenByAFullQueue() {
    Life life = life(Phase.IDLE);
    for (int i = 0; i < Life.LIMITS.maxQueuedRuns(); i++) {
      life.tell(new AgentCommand.AcceptRun(Life.request("r" + i), Life.AT));
    }
    assertThat(life.tell(take(Optional.of(Life.request("woken")))))
        .isInstanceOf(Verdict.Journal.class);
  }

  @Test
  void anEventWithoutItsRunIsABrokenJournal() {
    assertThatThrownBy(() ->
            Life.replay(
                List.of(new AgentEvent.StepCompleted(0, ActionOutcome.interrupted("a0"), Life.AT))))
        .isInstanceOf(IllegalStateException.class);
  }

  private static AgentCommand notice(long ordinal) {
    return new AgentCommand.NoticeEvents(Life.SCOPE, new Position(5, ordinal), Life.AT);
  }

  private static AgentCommand take(Optional<RunRequest> run) {
    return new AgentCommand.TakeEvents(
        Life.SCOPE, run, new Position(5, 5), Optional.empty(), Life.AT);
  }

  private static AgentCommand watch() {
    return new AgentCommand.WatchScopes(
        List.of(Watch.begun(Life.SCOPE, Life.GLOBS, Position.BEGINNING, Optional.empty())),
        Life.AT);
  }

  private static String journaled(AgentSnapshot state, AgentCommand command) {
    return switch (new Lifecycle(Life.LIMITS).decide(state, command)) {
      case Verdict.Journal journal ->
          journal.events().stream()
              .map(event -> event.getClass().getSimpleName())
              .collect(Collectors.joining(" "));
      case Verdict.Repeated repeated -> "=";
      case Verdict.Refused refused -> "-";
    };
  }

  private static AgentSnapshot in(Phase phase) {
    AgentSnapshot state = life(phase).state;
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
    paths.put(Phase.IDLE, List.of(claim(), watch()));
    paths.put(Phase.PLANNING, List.of(claim(), watch(), accept));
    paths.put(Phase.ANSWERED, List.of(claim(), watch(), accept, answer()));
    paths.put(Phase.MODEL_FAILED, List.of(claim(), watch(), accept, failure()));
    paths.put(
        Phase.INTENDED,
        List.of(
            claim(), watch(), accept, answer(), new AgentCommand.IntendAction(ACTION, Life.AT)));
    paths.put(Phase.ENDED, List.of(claim(), watch(), accept, end()));
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
