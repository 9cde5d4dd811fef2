package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.core.lifecycle.Transitions.Transition;
import dev.colony.inference.Usage;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every command in every phase of an agent's work and in every state of its life. */
class LifecycleTest {

  private static final Position WORD = new Position(1, 1);

  /** One command of each kind, and a second one of those that come in two shapes. */
  private static final List<AgentCommand> COMMANDS =
      List.of(
          LifeIn.claim(),
          LifeIn.accept("r2"),
          new AgentCommand.RecordAsking("d", 9, Life.AT),
          LifeIn.answer("d"),
          new AgentCommand.RecordFailure("d", Usage.NONE, Life.AT),
          LifeIn.intend(),
          LifeIn.act("a0"),
          LifeIn.complete(),
          new AgentCommand.Apply(new Intent.Cancel(LifeIn.RUN, "because"), Life.AT),
          LifeIn.publish(),
          LifeIn.watch(),
          LifeIn.notice(7),
          LifeIn.take(Optional.of(Life.request("woken"))),
          LifeIn.deliver(),
          LifeIn.move(LifecycleCommand.SUSPEND),
          new AgentCommand.ConfirmAnnounced(AgentState.STOPPED, Life.AT),
          new AgentCommand.Apply(
              new Intent.Suspend(
                  SuspensionCause.CAPACITY,
                  "no capacity",
                  Optional.of(new ResumptionCondition.ResourceAvailable())),
              Life.AT),
          new AgentCommand.Apply(new Intent.Resume(OptionalLong.of(1), "because"), Life.AT),
          new AgentCommand.ConfirmSuspended(1, Life.AT),
          new AgentCommand.Apply(
              new Intent.Approve("lead", true, "me", ""), Optional.of(WORD), Life.AT),
          new AgentCommand.Apply(
              new Intent.ChangeState(LifecycleCommand.SUSPEND, "because"),
              Optional.of(WORD),
              Life.AT),
          new AgentCommand.Apply(new Intent.Rehome(3, "because"), Life.AT),
          new AgentCommand.ConfirmRehomed(3, Life.AT),
          LifeIn.begin("a1", true),
          LifeIn.end("a1"),
          new AgentCommand.Apply(LifeIn.REVISE, Life.AT),
          withReply("d", LifeIn.act("a0")),
          new AgentCommand.Apply(new Intent.Rewind(LifeIn.RUN, 0, 2, "because"), Life.AT),
          new AgentCommand.CompleteRewind(new Rewinding.Past.Missing("it is gone"), Life.AT));

  /** What is journaled, phase by phase, in the order of {@link #COMMANDS}; "-" is a refusal. */
  private static final Map<Phase, List<String>> TABLE = new EnumMap<>(Phase.class);

  static {
    String take = "RunAccepted EventsTaken";
    String run = "RunAccepted";
    row(Phase.UNBORN, "Spawned Claimed Transitioned", 28);
    TABLE.put(
        Phase.RESTING,
        row("Claimed", run, "-", "-", "-", "-", "-", "-", "-", "-", take, "-", "Transitioned"));
    TABLE.put(
        Phase.ITERATING,
        row(
            "Claimed",
            run,
            "ModelAsked",
            "ModelAnswered",
            "ModelFailed",
            "ActionIntended",
            "StepCompleted",
            "RunCompleted",
            "CancelRequested",
            "-",
            take,
            "EventsTaken",
            "Transitioned"));
    TABLE.put(
        Phase.INTENDED,
        row(
            "Claimed",
            run,
            "ModelAsked",
            "ModelAnswered",
            "ModelFailed",
            "-",
            "StepCompleted",
            "-",
            "CancelRequested",
            "-",
            take,
            "-",
            "Transitioned"));
    TABLE.put(
        Phase.BLOCKED,
        row(
            "Claimed",
            run,
            "-",
            "-",
            "-",
            "-",
            "-",
            "RunCompleted",
            "CancelRequested",
            "-",
            take,
            "EventsTaken",
            "Transitioned"));
    TABLE.put(
        Phase.ENDED,
        row(
            "Claimed",
            run,
            "-",
            "-",
            "-",
            "-",
            "-",
            "-",
            "-",
            "ResultPublished",
            take,
            "-",
            "Transitioned"));
  }

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
                () -> assertThat(journaled(LifeIn.phase(phase), command)).isEqualTo(expected)));
      }
    }
    return tests;
  }

  private static AgentCommand withReply(String call, AgentCommand command) {
    return new AgentCommand.WithReply((AgentCommand.RecordReply) LifeIn.answer(call), command);
  }

  @Test
  void aReplyIsRefusedWithWhatItWasHeldBackFor() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.tell(LifeIn.act("a0"));
    AgentSnapshot before = life.state;
    assertThat(life.tell(withReply("d", LifeIn.act("a0"))))
        .isInstanceOf(Verdict.Journal.class)
        .extracting(verdict -> life.journal.getLast())
        .isInstanceOf(AgentEvent.RunCompleted.class);
    assertThat(before.active().orElseThrow().stats().modelCalls()).isZero();
    Life twice = LifeIn.phase(Phase.ITERATING);
    twice.tell(LifeIn.act("a1"));
    assertThat(twice.tell(withReply("d", LifeIn.begin("a1", true))))
        .isInstanceOf(Verdict.Refused.class);
    assertThat(twice.journal.getLast()).isInstanceOf(AgentEvent.StepCompleted.class);
  }

  @Test
  void aReplyThatNoStepIsThereForIsLeftOut() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.tell(LifeIn.begin("a1", true));
    life.tell(LifeIn.answer("c"));
    life.tell(withReply("c", LifeIn.end("a1")));
    assertThat(life.journal.getLast()).isInstanceOf(AgentEvent.ActionEnded.class);
    assertThat(life.journal.stream().filter(AgentEvent.ModelAnswered.class::isInstance)).hasSize(1);
  }

  @Test
  void theTableKnowsEveryPhaseAndEveryCommand() {
    assertThat(TABLE.keySet()).containsExactlyInAnyOrder(Phase.values());
    assertThat(TABLE.values()).allMatch(row -> row.size() == COMMANDS.size());
    assertThat(COMMANDS.stream().map(Object::getClass).collect(Collectors.toSet()))
        .isEqualTo(Set.of(AgentCommand.class.getPermittedSubclasses()));
    assertThat(
            COMMANDS.stream()
                .filter(AgentCommand.Apply.class::isInstance)
                .<Class<?>>map(command -> ((AgentCommand.Apply) command).intent().getClass()))
        .contains(Intent.class.getPermittedSubclasses());
  }

  @TestFactory
  List<DynamicTest> everySignalInEveryStateOfEveryKind() {
    List<DynamicTest> tests = new ArrayList<>();
    for (AgentKind kind : AgentKind.values()) {
      for (AgentState state : AgentState.values()) {
        for (LifecycleCommand command : LifecycleCommand.values()) {
          LifeIn.state(state, kind)
              .ifPresent(life ->
                  tests.add(
                      DynamicTest.dynamicTest(
                          kind + " " + state + " " + command, () -> signal(life, command))));
        }
      }
    }
    // INITIALIZED lasts as long as the first claim; bound agents are never IDLE, others never
    // LOADED or UNLOADED.
    int states = 7 + 3 * 6;
    assertThat(tests).hasSize(states * LifecycleCommand.values().length);
    return tests;
  }

  /** The lifecycle does what the table says, but for what only follows from work. */
  private static void signal(Life life, LifecycleCommand command) {
    AgentSnapshot before = life.state;
    AgentState state = before.state();
    boolean working = before.active().isPresent();
    Verdict verdict = life.tell(LifeIn.move(command));
    boolean suspendedAgain = state == AgentState.SUSPENDED && command == LifecycleCommand.SUSPEND;
    Optional<Suspension> into =
        switch (command) {
          case SUSPEND -> Optional.of(suspension(before, SuspensionCause.EXPLICIT));
          case PAGES_EVICTED -> Optional.of(suspension(before, SuspensionCause.PAGES));
          default -> Optional.empty();
        };
    boolean notEvicted =
        state == AgentState.SUSPENDED && command == LifecycleCommand.PAGES_AVAILABLE;
    boolean carriedOut =
        Transitions.of(state, command, before.kind()) instanceof Transition.To
            && !command.implied()
            && !notEvicted;
    if (suspendedAgain) {
      assertThat(verdict).isInstanceOf(Verdict.Repeated.class);
    } else if (carriedOut) {
      Transition.To to = (Transition.To) Transitions.of(state, command, before.kind());
      assertThat(life.state.state()).isEqualTo(working ? to.working() : to.resting());
      assertThat(life.journal.getLast())
          .isEqualTo(
              new AgentEvent.Transitioned(
                  command, state, life.state.state(), "because", into, life.state.left(), Life.AT));
    } else {
      assertThat(((Verdict.Refused) verdict).reason()).isNotBlank().doesNotContain("\n");
      assertThat(life.state).isEqualTo(before);
    }
  }

  private static Suspension suspension(AgentSnapshot before, SuspensionCause cause) {
    return new Suspension(
        before.status().suspensions() + 1, cause, "because", Optional.empty(), Life.AT);
  }

  private static void row(Phase phase, String first, int refusals) {
    List<String> row = new ArrayList<>(List.of(first));
    for (int i = 0; i < refusals; i++) {
      row.add("-");
    }
    TABLE.put(phase, row);
  }

  /**
   * Scopes are watched and writes noticed in every phase; nothing is announced, resumed, confirmed,
   * rewound or asked of a person in any. A run that is open may wait for room, an agent that rests
   * move. One of several actions begins where a sole one may.
   */
  private static List<String> row(String... cells) {
    List<String> row = new ArrayList<>(List.of(cells));
    boolean open = !cells[7].equals("-") || !cells[6].equals("-");
    row.addAll(10, List.of("ScopesWatched", "EventsNoticed"));
    row.addAll(
        List.of("-", open ? "Transitioned" : "-", "-", "-", "-", "SignalApplied Transitioned"));
    row.addAll(List.of(cells[8].equals("-") && cells[9].equals("-") ? "Rehomed" : "-", "-"));
    boolean iterates = cells[5].equals("ActionIntended");
    row.addAll(iterates ? List.of("ActionBegun", "ActionEnded") : List.of("-", "-"));
    row.add("BlueprintRevised");
    row.add(cells[6].equals("-") ? "-" : "ModelAnswered " + cells[6]);
    row.addAll(List.of("-", "-"));
    return row;
  }

  private static String journaled(Life life, AgentCommand command) {
    return switch (life.lifecycle.decide(life.state, command)) {
      case Verdict.Journal journal ->
          journal.events().stream()
              .map(event -> event.getClass().getSimpleName())
              .collect(Collectors.joining(" "));
      case Verdict.Repeated repeated -> "=";
      case Verdict.Busy busy -> "busy";
      case Verdict.Refused refused -> {
        assertThat(refused.reason()).isNotBlank().doesNotContain("\n");
        yield "-";
      }
    };
  }
}
