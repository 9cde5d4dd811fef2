package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.inference.budget.PriceTable;
import dev.colony.inference.budget.PriceTable.Prices;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * An agent's life without actors: it does what {@link Effects} says, a moment at a time, journals
 * what the lifecycle decides, and is told things and dies between any two moments.
 */
final class Life {

  static final AgentId AGENT = new AgentId("acme", "billing", "reviewer");
  static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("script"));
  static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
  static final PriceTable PRICES =
      PriceTable.of(new Prices(new BigDecimal("2"), new BigDecimal("0.5"), new BigDecimal("10")));
  static final RunLimits LIMITS =
      new RunLimits(
          RunBudget.OF_NODE.iterations(100).time(Duration.ofHours(1)),
          RunBudget.OF_NODE,
          4,
          2,
          10_000,
          1_000,
          1_000,
          PRICES,
          new RunLimits.SuspensionLimits(Duration.ofMinutes(5), 3, Duration.ofMinutes(5)),
          new RunLimits.Step(4, 5_000));
  static final Scope SCOPE = Scope.colony("acme", "billing");
  static final Set<KeyGlob> GLOBS = Set.of(new KeyGlob("alarm:*"));

  /**
   * What an agent is.
   *
   * @param takesEvents whether its policy takes events into an open run
   */
  record Nature(
      AgentBlueprint blueprint,
      Script script,
      Map<Scope, Set<KeyGlob>> patterns,
      boolean takesEvents) {

    static Nature of(Script script) {
      return new Nature(BLUEPRINT, script, Map.of(), false);
    }

    /** The same, woken by {@link #GLOBS}. */
    Nature woken(boolean takes) {
      return new Nature(blueprint, script, Map.of(SCOPE, GLOBS), takes);
    }
  }

  final List<AgentEvent> journal = new ArrayList<>();
  final Map<RunId, AgentRun> published = new LinkedHashMap<>();
  final Map<String, Integer> executions = new HashMap<>();
  final List<AgentState> announced = new ArrayList<>();
  final List<Suspension> entered = new ArrayList<>();
  final List<Integer> homes = new ArrayList<>();
  final Lifecycle lifecycle = new Lifecycle(LIMITS);
  private final Nature nature;
  private final Effects effects;
  private final LifeBoard board;
  AgentSnapshot state = AgentSnapshot.UNBORN;
  Instant now = AT;

  /** Why its scope is suspended, if it is. */
  Optional<String> scope = Optional.empty();

  private AgentEffect work = new AgentEffect.Nothing();
  private AgentSnapshot begunIn = AgentSnapshot.UNBORN;
  private ScriptedIteration iteration;
  private long said;

  Life(Script script) {
    this(Nature.of(script), new LifeBoard());
  }

  Life(Nature nature, LifeBoard board) {
    this.nature = nature;
    this.effects =
        new Effects(
                AGENT,
                Optional.of(nature.patterns()),
                () -> Optional.of(nature.takesEvents()),
                LIMITS)
            .within(() -> scope);
    this.board = board;
  }

  static RunRequest request(String id) {
    return new RunRequest(
        ExecutionContext.of(AGENT, new RunId(id)),
        "test",
        JsonNodeFactory.instance.objectNode(),
        "me",
        AT);
  }

  static AgentSnapshot replay(List<AgentEvent> events) {
    Lifecycle lifecycle = new Lifecycle(LIMITS);
    AgentSnapshot state = AgentSnapshot.UNBORN;
    for (AgentEvent event : events) {
      state = lifecycle.apply(state, event);
    }
    return state;
  }

  /** Forgets everything but the journal and claims again; the first time, begins to exist. */
  void recover() {
    work = new AgentEffect.Nothing();
    state = replay(journal);
    tell(new AgentCommand.Claim(Optional.of(nature.blueprint()), Optional.empty(), "node", now));
  }

  /** Tells the agent something; what follows from that for its work follows. */
  Verdict tell(AgentCommand command) {
    Verdict verdict = journal(command);
    if (verdict instanceof Verdict.Journal && endsWork(command)) {
      proceed();
    } else {
      reconsider();
    }
    return verdict;
  }

  private static boolean endsWork(AgentCommand command) {
    return switch (command) {
      case AgentCommand.Claim claim -> true;
      case AgentCommand.CompleteStep step -> true;
      case AgentCommand.CompleteRun run -> true;
      case AgentCommand.ConfirmPublished published -> true;
      case AgentCommand.WatchScopes watch -> true;
      case AgentCommand.TakeEvents take -> true;
      case AgentCommand.ConfirmAnnounced announced -> true;
      case AgentCommand.AcceptRun accept -> false;
      case AgentCommand.RecordAsking asking -> false;
      case AgentCommand.RecordReply reply -> false;
      case AgentCommand.WithReply both -> endsWork(both.command());
      case AgentCommand.RecordFailure failure -> false;
      case AgentCommand.IntendAction intend -> false;
      case AgentCommand.BeginAction begin -> false;
      case AgentCommand.EndAction end -> false;
      case AgentCommand.NoticeEvents notice -> false;
      case AgentCommand.Apply apply -> false;
      case AgentCommand.ConfirmSuspended confirm -> true;
      case AgentCommand.ConfirmRehomed confirm -> true;
      case AgentCommand.CompleteRewind rewind -> true;
    };
  }

  Verdict accept(String run) {
    return tell(new AgentCommand.AcceptRun(request(run), now));
  }

  Verdict command(LifecycleCommand command) {
    return tell(new AgentCommand.Apply(new Intent.ChangeState(command, "it was asked for"), now));
  }

  Verdict suspend(SuspensionCause cause, Optional<ResumptionCondition> until) {
    return tell(new AgentCommand.Apply(new Intent.Suspend(cause, "it was asked for", until), now));
  }

  /** A caller has it suspended; delivered again, it is the same signal. */
  Verdict suspend(Position word, Optional<ResumptionCondition> until) {
    return tell(
        new AgentCommand.Apply(
            new Intent.Suspend(SuspensionCause.EXPLICIT, "it was asked for", until),
            Optional.of(word),
            now));
  }

  /** A caller has it go on. */
  Verdict resume(Position word) {
    return tell(
        new AgentCommand.Apply(
            new Intent.Resume(OptionalLong.empty(), "it was asked for"), Optional.of(word), now));
  }

  Verdict resume(long suspension) {
    return tell(
        new AgentCommand.Apply(
            new Intent.Resume(OptionalLong.of(suspension), "its condition holds"), now));
  }

  Verdict answer(String request, boolean granted) {
    return answer(request, granted, word());
  }

  Verdict answer(String request, boolean granted, Position word) {
    Intent.Approve approve = new Intent.Approve(request, granted, "boss", "well");
    return tell(new AgentCommand.Apply(approve, Optional.of(word), now));
  }

  /** Where a signal stands that was not given before. */
  Position word() {
    return new Position(1, ++said);
  }

  Verdict rehome(int unit) {
    return tell(new AgentCommand.Apply(new Intent.Rehome(unit, "there is capacity"), now));
  }

  /** Gives the agent a capability of that key, or takes it away. */
  Verdict revise(String key) {
    boolean there =
        state.blueprint().orElseThrow().capabilities().stream()
            .anyMatch(one -> one.capabilityKey().equals(key));
    BlueprintChange change =
        there
            ? BlueprintChange.removing(key)
            : BlueprintChange.adding(CapabilityBlueprint.of(Blueprint.of("more")).key(key));
    Intent.Revise intent = new Intent.Revise(change, "it was asked for");
    return tell(new AgentCommand.Apply(intent, Optional.of(word()), now));
  }

  Verdict cancel(String run) {
    return tell(new AgentCommand.Apply(new Intent.Cancel(new RunId(run), "it is not wanted"), now));
  }

  /** Its scope is suspended for that reason, or resumed, and it is told to look. */
  void scope(Optional<String> why) {
    scope = why;
    reconsider();
  }

  /** Time passes, and the timer goes off if it has to. */
  void pass(Duration time) {
    now = now.plus(time);
    reconsider();
  }

  /** Works until nothing can be done. */
  void live() {
    while (step()) {}
  }

  /**
   * Does one moment of the work under way: a record of a step, the start of an action, the end of a
   * piece of work. False if there is none.
   */
  boolean step() {
    if (work instanceof AgentEffect.Nothing) {
      return false;
    }
    if (work instanceof AgentEffect.Iterate && !iteration.atItsEnd()) {
      iteration.advance().ifPresent(this::record);
    } else {
      end(carryOut());
    }
    return true;
  }

  /** What is being done. */
  AgentEffect work() {
    return work;
  }

  /** Whether it was begun in the state that the agent is in, and nothing has been done of it. */
  boolean workIsNew() {
    return begunIn == state;
  }

  /** Whether the agent takes wakes now. */
  boolean watching() {
    return state.phase() != AgentSnapshot.Phase.UNBORN && effects.watching(state);
  }

  private void record(AgentCommand command) {
    if (journal(command) instanceof Verdict.Refused refused) {
      iteration.open().forEach(this::journal);
      end(iteration.broken(refused.reason()));
    } else {
      reconsider();
    }
  }

  private void end(AgentCommand outcome) {
    AgentSnapshot before = state;
    if (!(journal(outcome) instanceof Verdict.Journal) && begunIn.equals(before)) {
      throw new AssertionError(outcome + " was refused in " + before);
    }
    proceed();
  }

  private void reconsider() {
    boolean rests = work instanceof AgentEffect.Nothing;
    if (rests || work instanceof AgentEffect.Iterate && effects.cutsOff(state, now)) {
      proceed();
    }
  }

  private void proceed() {
    work = effects.next(state, now);
    begunIn = state;
    if (work instanceof AgentEffect.Iterate iterate) {
      iteration = new ScriptedIteration(iterate, nature.script(), this::executed);
    }
    if (work instanceof AgentEffect.FinishIntended finish) {
      executed(finish.key());
    }
  }

  private void executed(String key) {
    String id = key.substring(key.lastIndexOf('/') + 1);
    if (state.active().orElseThrow().actions().ended().contains(id)) {
      throw new AssertionError(key + " was executed again after its end was journaled");
    }
    executions.merge(key, 1, Integer::sum);
  }

  private Verdict journal(AgentCommand command) {
    Verdict verdict = lifecycle.decide(state, command);
    if (verdict instanceof Verdict.Journal events) {
      for (AgentEvent event : events.events()) {
        journal.add(event);
        state = lifecycle.apply(state, event);
      }
    }
    return verdict;
  }

  /** What the journal tells of a run and one of its steps. */
  Rewinding.PastReading past(RunId run, int step) {
    Rewinding.PastReading reading = new Rewinding.PastReading(AGENT, run, step);
    AgentSnapshot at = AgentSnapshot.UNBORN;
    for (int i = 0; i < journal.size(); i++) {
      AgentSnapshot before = at;
      at = lifecycle.apply(before, journal.get(i));
      reading.take(before, journal.get(i), at, i + 1);
    }
    return reading;
  }

  Verdict rewind(String run, int step, int attempt) {
    Intent.Rewind rewind = new Intent.Rewind(new RunId(run), step, attempt, "again");
    return tell(new AgentCommand.Apply(rewind, Optional.of(word()), now));
  }

  private AgentCommand carryOut() {
    return switch (work) {
      case AgentEffect.Nothing nothing -> throw new AssertionError("nothing to do");
      case AgentEffect.IssueCommand tell -> tell.command();
      case AgentEffect.Iterate iterate -> iteration.end();
      case AgentEffect.FinishIntended finish ->
          new AgentCommand.CompleteStep(
              ActionPolicyIterationResult.acted(
                  finish.intended().action(),
                  ScriptedIteration.succeeded(finish.intended().action())),
              finish.intended().delta(),
              now);
      case AgentEffect.Publish publish -> {
        published.putIfAbsent(publish.request().runId(), publish.run());
        yield new AgentCommand.ConfirmPublished(publish.request().runId(), now);
      }
      case AgentEffect.WatchScopes watch -> board.watch(watch);
      case AgentEffect.ReadEvents read -> board.read(read);
      case AgentEffect.EnterSuspension enter -> {
        entered.add(enter.suspension());
        yield new AgentCommand.ConfirmSuspended(enter.suspension().number(), now);
      }
      case AgentEffect.MoveHome move -> {
        homes.add(move.unit());
        yield new AgentCommand.ConfirmRehomed(move.unit(), now);
      }
      case AgentEffect.Rewind rewind -> {
        Rewinding.Past past =
            past(rewind.rewinding().run(), rewind.rewinding().step())
                .past(rewind.rewinding().attempt());
        published.remove(rewind.rewinding().run());
        yield new AgentCommand.CompleteRewind(past, now);
      }
      case AgentEffect.Announce announce -> {
        announced.add(announce.state());
        yield new AgentCommand.ConfirmAnnounced(announce.state(), now);
      }
    };
  }
}
