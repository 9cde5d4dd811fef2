package dev.colony.core.lifecycle;

import dev.colony.agent.AgentState;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.DurableMemory;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent.Revision;
import dev.colony.core.lifecycle.AgentSnapshot.Holder;
import dev.colony.core.lifecycle.AgentSnapshot.Home;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.EventTaking.SignalOrder;
import dev.colony.core.lifecycle.Intent.Intended;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import dev.colony.core.lifecycle.StateMove.Moving;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.core.lifecycle.Suspending.ReasonText;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Turns commands into events and events into states. Pure: equal arguments, equal results. Applying
 * events runs no agent code and looks at no settings but {@link RunLimits#rememberedRuns} and
 * {@link RunLimits#windowBytes}, which change what is kept and not what is done.
 */
public final class Lifecycle {

  private final RunLimits limits;
  private final StepRecords records;

  public Lifecycle(RunLimits limits) {
    this.limits = limits;
    this.records = new StepRecords(limits);
  }

  /**
   * What a command leads to in a state; the events of a verdict apply to that state. What comes of
   * an iteration is refused where the state has changed under it: the run was cancelled, the agent
   * suspended or stopped. The entity drops the work then. Only a step that has begun an external
   * action ends in any state.
   */
  public Verdict decide(AgentSnapshot state, AgentCommand command) {
    if (state.phase() == Phase.UNBORN && !(command instanceof AgentCommand.Claim)) {
      return new Verdict.Refused("no such agent");
    }
    return switch (command) {
      case AgentCommand.Claim claim -> claim(state, claim);
      case AgentCommand.AcceptRun accept -> accept(state, accept.request(), accept.at());
      case AgentCommand.RecordAsking asking -> records.decide(state, asking);
      case AgentCommand.RecordReply reply -> records.decide(state, reply);
      case AgentCommand.WithReply both -> decide(state, both);
      case AgentCommand.RecordFailure failure -> records.decide(state, failure);
      case AgentCommand.IntendAction intend -> records.decide(state, intend);
      case AgentCommand.BeginAction begin -> records.decide(state, begin);
      case AgentCommand.EndAction end -> records.decide(state, end);
      case AgentCommand.CompleteStep step ->
          wanted(state) || state.active().filter(ActiveRun::irrevocable).isPresent()
              ? completed(state, step)
              : unfit(state, step);
      case AgentCommand.CompleteRun run ->
          state.phase() == Phase.ITERATING || state.phase() == Phase.BLOCKED
              ? completed(state, run)
              : unfit(state, run);
      case AgentCommand.Apply apply -> decide(state, apply);
      case AgentCommand.ConfirmPublished published -> publish(state, published);
      case AgentCommand.WatchScopes watch ->
          Verdict.journal(
              new AgentEvent.ScopesWatched(
                  watch.watches(), state.watches(watch.watches()).left(), watch.at()));
      case AgentCommand.NoticeEvents notice -> EventTaking.decide(state, notice);
      case AgentCommand.TakeEvents take -> EventTaking.decide(state, take);
      case AgentCommand.ConfirmSuspended confirm -> Suspending.decide(state, confirm);
      case AgentCommand.ConfirmRehomed confirm -> Moving.decide(state, confirm);
      case AgentCommand.ConfirmAnnounced announced -> announce(state, announced);
      case AgentCommand.CompleteRewind rewind ->
          Rewinding.decide(state, rewind, limits.maxOutputBytes());
    };
  }

  private Verdict decide(AgentSnapshot state, AgentCommand.WithReply both) {
    if (!(records.decide(state, both.reply()) instanceof Verdict.Journal replied)) {
      return decide(state, both.command());
    }
    List<AgentEvent> events = new ArrayList<>(replied.events());
    Verdict verdict = decide(apply(state, events.getFirst()), both.command());
    if (!(verdict instanceof Verdict.Journal journal)) {
      return verdict;
    }
    events.addAll(journal.events());
    return new Verdict.Journal(events);
  }

  private Verdict decide(AgentSnapshot state, AgentCommand.Apply apply) {
    return apply.signal().isPresent() && apply.intent().ordered()
        ? SignalOrder.decide(state, apply.signal().get(), apply.at(), () -> unordered(state, apply))
        : unordered(state, apply);
  }

  private Verdict unordered(AgentSnapshot state, AgentCommand.Apply apply) {
    Instant at = apply.at();
    return switch (apply.intent()) {
      case Intent.Suspend suspend -> Suspending.decide(state, suspend, at);
      case Intent.Resume resume -> Suspending.decide(state, resume, at);
      case Intent.ChangeState change -> StateMove.decide(state, change, at);
      case Intent.Cancel cancel -> cancel(state, cancel, at);
      case Intent.Rehome rehome -> Moving.decide(state, rehome, at);
      case Intent.Rewind rewind -> Rewinding.decide(state, rewind, at);
      case Intent.Revise revise -> Revision.decide(state, revise, apply.signal(), at);
      case Intent.Approve approve ->
          Approving.decide(
              state,
              approve.at(at),
              apply.signal().orElseThrow(),
              at,
              limits.suspension().approvals());
    };
  }

  public AgentSnapshot apply(AgentSnapshot state, AgentEvent event) {
    AgentSnapshot next = after(state, event);
    return RecoveryPolicy.progress(event) ? next.holder(next.holder().progressed()) : next;
  }

  private AgentSnapshot after(AgentSnapshot state, AgentEvent event) {
    return switch (event) {
      case AgentEvent.Spawned spawned -> state.spawned(spawned.blueprint());
      case AgentEvent.Claimed claimed ->
          state.holder(new Holder(claimed.incarnation(), claimed.node(), claimed.recoveries()));
      case AgentEvent.RunAccepted accepted -> Accepting.apply(state, accepted);
      case AgentEvent.ModelAsked asked ->
          state.active(
              active(state, event)
                  .asked(asked.name(), asked.promptTokens(), asked.cost().orElse(BigDecimal.ZERO)));
      case AgentEvent.ModelAnswered answered ->
          state.active(
              active(state, event)
                  .answered(
                      answered.name(),
                      answered.reply(),
                      answered.paged(),
                      answered.cost().orElse(BigDecimal.ZERO)));
      case AgentEvent.ModelFailed failed ->
          state.active(
              active(state, event)
                  .failed(failed.name(), failed.usage(), failed.cost().orElse(BigDecimal.ZERO)));
      case AgentEvent.ActionIntended intended ->
          state.active(
              active(state, event)
                  .intended(
                      new Intended(
                          intended.action(),
                          intended.retryable(),
                          intended.delta(),
                          state.incarnation())));
      case AgentEvent.ActionBegun begun ->
          state.active(active(state, event).acting(begun, state.incarnation()));
      case AgentEvent.ActionEnded ended -> state.active(active(state, event).acted(ended));
      case AgentEvent.StepCompleted step -> stepped(state, step);
      case AgentEvent.Forked forked -> forked(state, forked.forkSeed());
      case AgentEvent.RewindRequested requested ->
          state.runs(state.runs().rewinding(requested.rewinding()));
      case AgentEvent.RewindRefused refused -> state.runs(state.runs().notRewound());
      case AgentEvent.RunRewound rewound -> Rewinding.apply(state, rewound);
      case AgentEvent.RunCompleted completed -> ended(state, completed);
      case AgentEvent.CancelRequested cancelled ->
          state.runs(state.runs().cancelled(cancelled.runId(), cancelled.reason()));
      case AgentEvent.ResultPublished published -> published(state, published.runId());
      case AgentEvent.ScopesWatched watched -> state.watches(watched.watches());
      case AgentEvent.EventsNoticed noticed -> EventTaking.apply(state, noticed);
      case AgentEvent.EventsTaken taken -> EventTaking.apply(state, taken);
      case AgentEvent.Transitioned moved -> StateMove.apply(state, moved);
      case AgentEvent.SuspensionEntered entered -> state.status(state.status().known());
      case AgentEvent.SignalApplied applied ->
          state.status(state.status().lastSignal(applied.signal()));
      case AgentEvent.Approved approved -> Approving.apply(state, approved.approval());
      case AgentEvent.BlueprintRevised revised -> Revision.apply(state, revised);
      case AgentEvent.Rehomed moved -> state.home(new Home(moved.unit(), false));
      case AgentEvent.RehomeConfirmed known -> state.home(new Home(known.unit(), true));
      case AgentEvent.Announced announced ->
          state.status(state.status().announced(announced.state()));
    };
  }

  private Verdict claim(AgentSnapshot state, AgentCommand.Claim claim) {
    int recoveries = RecoveryPolicy.count(state, claim.cause());
    AgentEvent claimed =
        new AgentEvent.Claimed(state.incarnation() + 1, claim.node(), recoveries, claim.at());
    if (state.phase() != Phase.UNBORN) {
      return state.state() == AgentState.INITIALIZED
          ? started(state, List.of(claimed), claim.at())
          : recovered(state, claim, claimed, recoveries);
    }
    if (claim.blueprint().isEmpty()) {
      return new Verdict.Refused("no such agent");
    }
    List<AgentEvent> events = new ArrayList<>();
    events.add(new AgentEvent.Spawned(claim.blueprint().get(), claim.at()));
    events.add(claimed);
    claim.forkSeed().stream()
        .flatMap(inherited -> inherited.parts(limits.maxOutputBytes()).stream())
        .forEach(part -> events.add(new AgentEvent.Forked(part, claim.at())));
    return started(apply(state, events.getFirst()), events, claim.at());
  }

  /** A run that cannot go on ends with the claim, so that nothing of it is done again. */
  private Verdict recovered(
      AgentSnapshot state, AgentCommand.Claim claim, AgentEvent claimed, int recoveries) {
    Optional<String> end = RecoveryPolicy.end(claim.cause(), recoveries, limits.maxRecoveries());
    if (end.isEmpty()) {
      return Verdict.journal(claimed);
    }
    if (!RecoveryPolicy.open(state)) {
      return recoveries > limits.maxRecoveries()
          ? new Verdict.Refused(end.get())
          : Verdict.journal(claimed);
    }
    AgentSnapshot taken = apply(state, claimed);
    List<AgentEvent> events = new ArrayList<>(List.of(claimed));
    if (state.phase() != Phase.BLOCKED) {
      events.addAll(StepEnd.broken(limits, taken, ReasonText.line(end.get()), claim.at()));
    } else if (completed(
            taken, RecoveryPolicy.blockedRun(taken, ReasonText.line(end.get()), claim.at()))
        instanceof Verdict.Journal over) {
      events.addAll(over.events());
    }
    return new Verdict.Journal(events);
  }

  /**
   * With its start. It comes with the first claim; a journal from before starts were journaled gets
   * it with its next one.
   */
  private static Verdict started(AgentSnapshot state, List<AgentEvent> claimed, Instant at) {
    Intent.ChangeState start = new Intent.ChangeState(LifecycleCommand.START, "");
    if (StateMove.decide(state, start, at) instanceof Verdict.Journal started) {
      List<AgentEvent> events = new ArrayList<>(claimed);
      events.addAll(started.events());
      return new Verdict.Journal(events);
    }
    return unfit(state, new AgentCommand.Apply(start, at));
  }

  /** Events that were delivered into the run, and that no step has seen, start one of their own. */
  private Verdict completed(AgentSnapshot state, AgentCommand.CompleteRun run) {
    List<AgentEvent> events = new ArrayList<>();
    events.add(new AgentEvent.RunCompleted(run.run(), run.at()));
    AgentSnapshot next = apply(state, events.getFirst());
    for (RunRequest unseen : EventTaking.unseen(state, run.at())) {
      AgentEvent accepted = Accepting.event(next, unseen, run.at());
      events.add(accepted);
      next = apply(next, accepted);
    }
    return new Verdict.Journal(events);
  }

  /** A policy that asks for its agent's end gets it with the step. */
  private Verdict completed(AgentSnapshot state, AgentCommand.CompleteStep step) {
    List<AgentEvent> events = new ArrayList<>(new StepEnd(limits, state, step).events());
    if (step.result().requiresTermination()) {
      AgentSnapshot next = state;
      for (AgentEvent event : events) {
        next = apply(next, event);
      }
      String why = step.result().error().map(error -> ReasonText.line(error.message())).orElse("");
      Intent.ChangeState fail = new Intent.ChangeState(LifecycleCommand.FAIL, why);
      if (StateMove.decide(next, fail, step.at()) instanceof Verdict.Journal failed) {
        events.addAll(failed.events());
      }
    }
    return new Verdict.Journal(events);
  }

  /** Whether an agent that took no more runs has room for a good part of what it may have. */
  public boolean roomy(AgentSnapshot state) {
    return state.queue().size() <= limits.maxQueuedRuns() / 2;
  }

  private Verdict accept(AgentSnapshot state, RunRequest request, Instant at) {
    if (state.finished().contains(request.runId())
        || state.runs().queued(request.runId()).isPresent()) {
      return new Verdict.Repeated();
    }
    if (state.state().terminal()) {
      return new Verdict.Refused(
          "the agent is " + state.state() + state.reason().map(why -> ": " + why).orElse(""));
    }
    if (request.namespace().equals(EventBatch.NAMESPACE)) {
      return new Verdict.Refused(
          "the namespace " + EventBatch.NAMESPACE + " is for runs that events start");
    }
    if (state.runs().opened().isPresent()) {
      return new Verdict.Busy("a run of the agent is being rewound");
    }
    int ahead = state.queue().size();
    if (ahead >= limits.maxQueuedRuns()) {
      return new Verdict.Busy(
          "the agent has " + ahead + " unfinished runs, as many as it may have");
    }
    return Verdict.journal(Accepting.event(state, request, at));
  }

  /** Whether an iteration may be under way. */
  static boolean wanted(AgentSnapshot state) {
    return state.active().filter(ActiveRun::iterating).isPresent()
        && state.state() == AgentState.RUNNING
        && !state.ending();
  }

  private static Verdict cancel(AgentSnapshot state, Intent.Cancel cancel, Instant at) {
    boolean ended =
        state.phase() == Phase.ENDED && state.queue().getFirst().runId().equals(cancel.run());
    if (ended || state.finished().contains(cancel.run())) {
      return new Verdict.Refused("the run has ended");
    }
    Optional<QueuedRun> run = state.runs().queued(cancel.run());
    if (run.isEmpty()) {
      return new Verdict.Refused("no such run");
    }
    if (run.get().cancelled().isPresent()) {
      return new Verdict.Repeated();
    }
    String why = ReasonText.line(cancel.reason());
    int left = state.runs(state.runs().cancelled(cancel.run(), why)).left();
    return Verdict.journal(new AgentEvent.CancelRequested(cancel.run(), why, left, at));
  }

  private Verdict publish(AgentSnapshot state, AgentCommand.ConfirmPublished published) {
    boolean first =
        state.phase() == Phase.ENDED && state.queue().getFirst().runId().equals(published.runId());
    boolean behind =
        state.queue().stream()
            .skip(1)
            .anyMatch(run -> run.runId().equals(published.runId()) && run.cancelled().isPresent());
    return first || behind
        ? Verdict.journal(
            new AgentEvent.ResultPublished(
                published.runId(), published(state, published.runId()).left(), published.at()))
        : unfit(state, published);
  }

  private static Verdict announce(AgentSnapshot state, AgentCommand.ConfirmAnnounced announced) {
    boolean awaited =
        state.state().terminal()
            && state.state() == announced.state()
            && state.announced() != announced.state();
    return awaited
        ? Verdict.journal(
            new AgentEvent.Announced(
                announced.state(),
                state.status(state.status().announced(announced.state())).left(),
                announced.at()))
        : unfit(state, announced);
  }

  /** Part by part, where it is larger than an event may be. */
  static AgentSnapshot forked(AgentSnapshot state, ForkSeed part) {
    return state
        .memory(state.memory().plus(part.memory()))
        .forkSeed(
            Optional.of(
                state
                    .forkSeed()
                    .map(before -> before.plus(part.remembered()))
                    .orElseGet(part::remembered)));
  }

  /** What lay in the run ends with it. */
  private static AgentSnapshot ended(AgentSnapshot state, AgentEvent.RunCompleted completed) {
    AgentSnapshot next = state.active(active(state, completed).ended(completed.run()));
    return state.suspension().filter(lasting -> lasting.cause().ofRun()).isPresent()
        ? StateMove.left(next, completed.at())
            .status(next.status().moved(AgentState.RUNNING, "", Optional.empty()))
        : next.moved(LifecycleCommand.UNBLOCK);
  }

  private AgentSnapshot stepped(AgentSnapshot state, AgentEvent.StepCompleted step) {
    AgentSnapshot next =
        state
            .active(active(state, step).stepped(step, limits.windowBytes()))
            .memory(after(state, step));
    return step.blocked().isPresent() ? next.moved(LifecycleCommand.BLOCK) : next;
  }

  /** A step may have begun with capabilities that the agent has no longer. */
  private static DurableMemory after(AgentSnapshot state, AgentEvent.StepCompleted step) {
    DurableMemory memory = state.memory().after(step.delta());
    return state.revision().isEmpty()
        ? memory
        : Revision.kept(memory, state.blueprint().orElseThrow());
  }

  private AgentSnapshot published(AgentSnapshot state, RunId runId) {
    AgentSnapshot next = state.runs(state.runs().published(runId, limits.rememberedRuns()));
    return next.queue().isEmpty() ? next.moved(LifecycleCommand.FINISH_WORK) : next;
  }

  static Verdict unfit(AgentSnapshot state, AgentCommand command) {
    return new Verdict.Refused(
        command.getClass().getSimpleName()
            + " does not fit an agent that is "
            + state.state()
            + ", phase "
            + state.phase());
  }

  private static ActiveRun active(AgentSnapshot state, AgentEvent event) {
    return state
        .active()
        .orElseThrow(() ->
            new IllegalStateException(
                event.getClass().getSimpleName() + " without an accepted run"));
  }
}
