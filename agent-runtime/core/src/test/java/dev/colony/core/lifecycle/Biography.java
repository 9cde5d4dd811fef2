package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.ActiveRun.Grants;
import dev.colony.core.lifecycle.AgentEvent.Revision;
import dev.colony.core.lifecycle.AgentSnapshot.LifecycleStatus;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** A life with what it was told, held to what must be true of every life. */
final class Biography {

  private final Life.Nature nature;
  private final LifeBoard board = new LifeBoard();
  private final Life life;
  private final List<Position> written = new ArrayList<>();
  private final Set<Long> woken = new HashSet<>();

  Biography(Life.Nature nature) {
    this.nature = nature;
    this.life = new Life(nature, board);
    life.recover();
  }

  void happens(Deed deed) {
    switch (deed) {
      case Deed.Work work -> {
        for (int i = 0; i < work.moments() && life.step(); i++) {
          check();
        }
      }
      case Deed.Accept accept -> accept("r" + accept.number());
      case Deed.Cancel cancel -> life.cancel("r" + cancel.number());
      case Deed.Command command -> life.command(command.command());
      case Deed.Suspend suspend -> life.suspend(suspend.cause(), suspend.until().condition());
      case Deed.Wake wake -> wake(life.state.status().suspensions() - wake.back());
      case Deed.Answer answer -> life.answer(answer.request(), answer.granted());
      case Deed.Rehome rehome -> life.rehome(rehome.unit());
      case Deed.Revise revise -> life.revise("c" + revise.capability());
      case Deed.Pass pass -> life.pass(Duration.ofSeconds(pass.seconds()));
      case Deed.Write write -> written.add(board.write("alarm:" + write.number(), "someone"));
      case Deed.Deliver deliver -> deliver(deliver.acknowledged());
      case Deed.Crash crash -> life.recover();
    }
    check();
  }

  /** Lets the agent go on and come to rest; then no caller may be owed anything. */
  void settle() {
    for (int rounds = 0; owing(); rounds++) {
      assertThat(rounds).as("rounds without an end: " + life.state).isLessThan(100);
      // What has spent its budget is told that it gets no more.
      life.answer(Grants.BUDGET, false);
      wake(life.state.status().suspensions());
      live();
      // Whatever still waits does so until its time is over.
      life.pass(Duration.ofHours(1));
      live();
      deliver(true);
      live();
    }
    everyRunHasItsResult();
    if (!life.state.state().terminal() && !nature.patterns().isEmpty()) {
      assertThat(handled()).isEqualTo(written);
    }
    assertThat(life.announced.stream().distinct().toList())
        .isEqualTo(life.state.state().terminal() ? List.of(life.state.state()) : List.of());
    assertThat(life.state.outstanding()).isFalse();
  }

  private void live() {
    while (life.step()) {
      check();
    }
  }

  private boolean owing() {
    boolean asleep =
        life.state.state() == AgentState.SUSPENDED || life.state.state() == AgentState.UNLOADED;
    boolean unheard = board.pending().isPresent() && !life.state.state().terminal();
    return asleep
        || unheard
        || life.state.outstanding()
        || !(life.work() instanceof AgentEffect.Nothing);
  }

  /** A request whose result stands on the blackboard does not reach the agent again. */
  private void accept(String run) {
    if (!life.published.containsKey(new RunId(run))) {
      life.accept(run);
    }
  }

  /** A suspension is ended once, however often and late its condition is found to hold. */
  private void wake(long suspension) {
    if (suspension > 0 && life.resume(suspension) instanceof Verdict.Journal) {
      assertThat(woken.add(suspension)).as("suspension %d was over", suspension).isTrue();
    }
  }

  private void deliver(boolean acknowledged) {
    if (board.pending().isEmpty() || !life.watching()) {
      return;
    }
    InboxMessage.Wake wake = board.pending().get();
    life.tell(new AgentCommand.NoticeEvents(wake.scope(), wake.position(), life.now));
    if (acknowledged) {
      board.acknowledge(wake);
    }
  }

  /** What is true at any time. */
  void check() {
    assertThat(Life.replay(life.journal)).isEqualTo(life.state);
    theStateIsOneThatTheKindMayBeIn();
    aSuspensionLastsWhileTheAgentIsPutAway();
    anAgentThatIsPutAwayStartsNothing();
    theIndexTellsWhetherThereIsWork();
    noStepIsLost();
    nothingIsRepeatedThatMustNotBe();
    everyActionIsInTheJournalOnce();
    noRunTakesMoreThanItMay();
    theBlueprintIsThatOfTheLastRevision();
  }

  private void theStateIsOneThatTheKindMayBeIn() {
    AgentState state = life.state.state();
    boolean bound = nature.blueprint().kind() == AgentKind.VCM_BOUND;
    assertThat(state)
        .isNotIn(
            bound
                ? List.of(AgentState.IDLE, AgentState.INITIALIZED)
                : List.of(AgentState.LOADED, AgentState.UNLOADED, AgentState.INITIALIZED));
    boolean blocked = life.state.phase() == AgentSnapshot.Phase.BLOCKED;
    boolean resting = life.state.phase() == AgentSnapshot.Phase.RESTING;
    switch (state) {
      case WAITING -> assertThat(blocked).isTrue();
      case RUNNING -> assertThat(blocked || resting).isFalse();
      case IDLE, LOADED -> assertThat(resting).isTrue();
      default -> {}
    }
    assertThat(life.state.active().isPresent()).isEqualTo(!life.state.queue().isEmpty());
  }

  /** What it had begun before may go on to its end, if it cannot be taken back. */
  private void anAgentThatIsPutAwayStartsNothing() {
    boolean away =
        life.state.state() == AgentState.SUSPENDED || life.state.state() == AgentState.UNLOADED;
    boolean iterating = life.work() instanceof AgentEffect.Iterate;
    if (away && iterating) {
      assertThat(life.state.phase()).isEqualTo(AgentSnapshot.Phase.INTENDED);
    }
    if (away && life.workIsNew()) {
      assertThat(life.work())
          .isNotInstanceOfAny(
              AgentEffect.Iterate.class,
              AgentEffect.FinishIntended.class,
              AgentEffect.ReadEvents.class,
              AgentEffect.Announce.class);
    }
    if (away && life.work() instanceof AgentEffect.Nothing) {
      assertThat(life.state.status().entered())
          .isEqualTo(life.state.suspension().orElseThrow().until().isPresent());
    }
    if (life.state.moving() && life.workIsNew()) {
      assertThat(life.work())
          .isNotInstanceOfAny(AgentEffect.Iterate.class, AgentEffect.FinishIntended.class);
    }
  }

  private void aSuspensionLastsWhileTheAgentIsPutAway() {
    assertThat(life.state.suspension().isPresent())
        .isEqualTo(LifecycleStatus.away(life.state.state()));
    life.state
        .suspension()
        .ifPresent(lasting -> {
          assertThat(lasting.number()).isEqualTo(life.state.status().suspensions());
          if (lasting.cause().ofRun()) {
            assertThat(life.state.active().flatMap(ActiveRun::ended)).isEmpty();
            assertThat(life.state.active()).isPresent();
          }
        });
  }

  private void theIndexTellsWhetherThereIsWork() {
    boolean tagged = false;
    for (AgentEvent event : life.journal) {
      tagged = event.outstanding().orElse(tagged);
    }
    assertThat(tagged).as("the index of outstanding work").isEqualTo(life.state.outstanding());
    if (life.workIsNew() && !life.state.outstanding() && !timeIsOver()) {
      assertThat(life.work())
          .isInstanceOfAny(AgentEffect.Nothing.class, AgentEffect.WatchScopes.class);
    }
    if (life.work() instanceof AgentEffect.Nothing && life.state.outstanding()) {
      // It waits in memory, for its pages or for what its run waits for.
      assertThat(life.state.state()).isIn(AgentState.WAITING, AgentState.UNLOADED);
      assertThat(life.state.active()).isPresent();
    }
  }

  /** That is in the conditions of those that are put away, and in no index of work. */
  private boolean timeIsOver() {
    return life.work() instanceof AgentEffect.IssueCommand tell
        && tell.command() instanceof AgentCommand.Apply apply
        && apply.intent() instanceof Intent.Resume;
  }

  /** The steps of each run count up from 0, and all that they have changed is there. */
  private void noStepIsLost() {
    int next = 0;
    int traces = 0;
    for (AgentEvent event : life.journal) {
      if (event instanceof AgentEvent.StepCompleted step) {
        assertThat(step.step()).isEqualTo(next++);
        traces += step.delta().streams().size();
      }
      if (event instanceof AgentEvent.RunCompleted completed) {
        assertThat(completed.run().stats().steps()).isEqualTo(next);
        next = 0;
      }
    }
    assertThat(life.state.memory().streams().getOrDefault(ScriptedIteration.STREAM, List.of()))
        .hasSize(traces);
  }

  private void nothingIsRepeatedThatMustNotBe() {
    life.executions.forEach((key, times) -> {
      if (ScriptedIteration.once(nature.script(), key)) {
        assertThat(times).as(key).isEqualTo(1);
      }
    });
  }

  /** An action ends once, wherever the step that it is of is cut off, and so counts once. */
  private void everyActionIsInTheJournalOnce() {
    Set<String> ended = new HashSet<>();
    for (AgentEvent event : life.journal) {
      Stream<ActionCall> calls =
          switch (event) {
            case AgentEvent.ActionEnded one -> Stream.of(one.call());
            case AgentEvent.StepCompleted step -> step.call().stream();
            default -> Stream.empty();
          };
      calls.forEach(
          call -> assertThat(ended.add(call.action().actionId())).as(call.toString()).isTrue());
      if (event instanceof AgentEvent.RunCompleted) {
        ended.clear();
      }
    }
    life.state
        .active()
        .filter(run -> run.ended().isEmpty())
        .ifPresent(run -> {
          Set<String> known = new HashSet<>();
          run.history().forEach(call -> known.add(call.action().actionId()));
          run.actions().ended().forEach(call -> known.add(call.action().actionId()));
          assertThat(ended).containsAll(known);
          assertThat(run.stats().usage().completionTokens())
              .as("the calls of the model and of its actions, once each")
              .isEqualTo(completionTokens());
        });
  }

  /** What the journal says that the open run has been answered. */
  private long completionTokens() {
    long tokens = 0;
    for (AgentEvent event : life.journal) {
      tokens =
          switch (event) {
            case AgentEvent.ModelAnswered one -> tokens + one.reply().usage().completionTokens();
            case AgentEvent.ActionEnded one ->
                tokens + one.call().result().usage().completionTokens();
            case AgentEvent.StepCompleted step ->
                tokens + step.call().map(one -> one.result().usage().completionTokens()).orElse(0L);
            case AgentEvent.RunCompleted completed -> 0;
            default -> tokens;
          };
    }
    return tokens;
  }

  private void theBlueprintIsThatOfTheLastRevision() {
    AgentBlueprint last = nature.blueprint();
    int number = 0;
    for (AgentEvent event : life.journal) {
      if (event instanceof AgentEvent.BlueprintRevised revised) {
        assertThat(revised.revision().number()).isEqualTo(++number);
        assertThat(revised.blueprint()).isNotEqualTo(last);
        last = revised.blueprint();
      }
    }
    assertThat(life.state.blueprint()).contains(last);
    assertThat(life.state.revision().map(Revision::number).orElse(0)).isEqualTo(number);
  }

  private void noRunTakesMoreThanItMay() {
    int most = Life.LIMITS.of(nature.blueprint().budget()).iterations().orElseThrow();
    long granted =
        life.journal.stream()
            .filter(event ->
                event instanceof AgentEvent.Approved told
                    && told.approval().granted()
                    && told.approval().request().equals(Grants.BUDGET))
            .count();
    life.state
        .active()
        .ifPresent(
            run -> assertThat(run.stats().steps()).isLessThanOrEqualTo(most * (int) (granted + 1)));
  }

  private void everyRunHasItsResult() {
    Map<RunId, Integer> accepted = new LinkedHashMap<>();
    Map<RunId, Integer> completed = new LinkedHashMap<>();
    for (AgentEvent event : life.journal) {
      if (event instanceof AgentEvent.RunAccepted one) {
        accepted.merge(one.request().runId(), 1, Integer::sum);
      }
      if (event instanceof AgentEvent.RunCompleted one) {
        completed.merge(one.run().runId(), 1, Integer::sum);
      }
    }
    // A run that was cancelled behind another ends with that.
    accepted.forEach((run, times) -> {
      assertThat(times).isEqualTo(1);
      boolean cancelled = life.published.get(run).status() == AgentRun.Status.CANCELLED;
      assertThat(completed.getOrDefault(run, cancelled ? 1 : 0)).isEqualTo(1);
    });
    assertThat(life.published.keySet()).isEqualTo(accepted.keySet());
    assertThat(life.state.queue()).isEmpty();
  }

  /**
   * The writes that were in a run of their own or were delivered into one that saw them, in that
   * order.
   */
  private List<Position> handled() {
    List<Position> handled = new ArrayList<>();
    List<Position> unseen = new ArrayList<>();
    for (AgentEvent event : life.journal) {
      switch (event) {
        case AgentEvent.RunAccepted accepted ->
            EventBatch.of(accepted.request()).ifPresent(batch -> handled.addAll(positions(batch)));
        case AgentEvent.EventsTaken taken ->
            taken.delivered().ifPresent(batch -> unseen.addAll(positions(batch)));
        case AgentEvent.StepCompleted step -> {
          handled.addAll(unseen);
          unseen.clear();
        }
        case AgentEvent.RunCompleted completed -> unseen.clear();
        default -> {}
      }
    }
    return handled;
  }

  private static List<Position> positions(EventBatch batch) {
    return batch.events().stream().map(EventBatch.Event::position).toList();
  }
}
