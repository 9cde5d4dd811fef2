package dev.colony.agent.lifecycle;

import dev.colony.agent.AgentState;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.lifecycle.AgentSnapshot.Phase;
import dev.colony.blackboard.Scope;
import dev.colony.inference.Usage;
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

  public Lifecycle(RunLimits limits) {
    this.limits = limits;
  }

  /**
   * What a command leads to in a state; the events of a verdict apply to that state. What comes of
   * an iteration is refused where the state has changed under it: the run was cancelled, the agent
   * suspended or stopped. Whoever did the work drops it then. Only a step that has begun an
   * external action ends in any state.
   */
  public Verdict decide(AgentSnapshot state, AgentCommand command) {
    if (state.phase() == Phase.UNBORN && !(command instanceof AgentCommand.Claim)) {
      return new Verdict.Refused("no such agent");
    }
    return switch (command) {
      case AgentCommand.Claim claim -> claim(state, claim);
      case AgentCommand.AcceptRun accept -> accept(state, accept.request(), accept.at());
      case AgentCommand.RecordReply reply -> record(state, reply);
      case AgentCommand.IntendAction intend -> intend(state, intend);
      case AgentCommand.CompleteStep step ->
          wanted(state) || state.phase() == Phase.INTENDED
              ? new Verdict.Journal(new StepEnd(limits, state, step).events())
              : unfit(state, step);
      case AgentCommand.CompleteRun run ->
          state.phase() == Phase.ITERATING || state.phase() == Phase.PARKED
              ? Verdict.journal(new AgentEvent.RunCompleted(run.run(), run.at()))
              : unfit(state, run);
      case AgentCommand.CancelRun cancel -> cancel(state, cancel);
      case AgentCommand.ConfirmPublished published -> publish(state, published);
      case AgentCommand.WatchScopes watch ->
          Verdict.journal(
              new AgentEvent.ScopesWatched(
                  watch.watches(), state.watches(watch.watches()).left(), watch.at()));
      case AgentCommand.NoticeEvents notice -> notice(state, notice);
      case AgentCommand.TakeEvents take -> take(state, take);
      case AgentCommand.Transition transition -> StateMove.decide(state, transition);
      case AgentCommand.ConfirmAnnounced announced -> announce(state, announced);
    };
  }

  /** The state after an event. */
  public AgentSnapshot apply(AgentSnapshot state, AgentEvent event) {
    return switch (event) {
      case AgentEvent.Spawned spawned -> state.spawned(spawned.blueprint());
      case AgentEvent.Claimed claimed -> state.claimed(claimed.incarnation(), claimed.node());
      case AgentEvent.RunAccepted accepted -> accepted(state, accepted);
      case AgentEvent.ModelAnswered answered ->
          state.active(
              active(state, event)
                  .answered(
                      answered.name(),
                      answered.reply(),
                      answered.paged(),
                      answered.cost().orElse(BigDecimal.ZERO)));
      case AgentEvent.ActionIntended intended ->
          state.active(
              active(state, event)
                  .intended(
                      new Intended(
                          intended.action(),
                          intended.retryable(),
                          intended.delta(),
                          state.incarnation())));
      case AgentEvent.StepCompleted step -> stepped(state, step);
      case AgentEvent.RunCompleted completed ->
          state.active(active(state, event).ended(completed.run())).moved(LifecycleCommand.UNBLOCK);
      case AgentEvent.CancelRequested cancelled ->
          state.queue(
              state.queue().stream()
                  .map(run ->
                      run.runId().equals(cancelled.runId()) ? run.cancel(cancelled.reason()) : run)
                  .toList());
      case AgentEvent.ResultPublished published -> published(state, published.runId());
      case AgentEvent.ScopesWatched watched -> state.watches(watched.watches());
      case AgentEvent.EventsNoticed noticed ->
          state.watch(watch(state, noticed.scope()).noticed(noticed.position()));
      case AgentEvent.EventsTaken taken -> taken(state, taken);
      case AgentEvent.Transitioned moved -> StateMove.apply(state, moved);
      case AgentEvent.Announced announced -> state.announced(announced.state());
    };
  }

  private Verdict claim(AgentSnapshot state, AgentCommand.Claim claim) {
    AgentEvent claimed = new AgentEvent.Claimed(state.incarnation() + 1, claim.node(), claim.at());
    if (state.phase() != Phase.UNBORN) {
      return Verdict.journal(claimed);
    }
    if (claim.blueprint().isEmpty()) {
      return new Verdict.Refused("no such agent");
    }
    AgentEvent spawned = new AgentEvent.Spawned(claim.blueprint().get(), claim.at());
    AgentCommand.Transition start =
        new AgentCommand.Transition(LifecycleCommand.START, "", claim.at());
    return StateMove.decide(apply(state, spawned), start) instanceof Verdict.Journal started
        ? Verdict.journal(spawned, claimed, started.events().getFirst())
        : unfit(state, start);
  }

  private Verdict accept(AgentSnapshot state, RunRequest request, Instant at) {
    if (state.finished().contains(request.runId()) || queued(state, request.runId()).isPresent()) {
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
    int ahead = state.queue().size();
    if (ahead >= limits.maxQueuedRuns()) {
      return new Verdict.Refused(
          "the agent has " + ahead + " unfinished runs, as many as it may have");
    }
    return Verdict.journal(acceptance(state, request, at));
  }

  private AgentEvent acceptance(AgentSnapshot state, RunRequest request, Instant at) {
    int left = accepted(state, new AgentEvent.RunAccepted(request, 0, at)).left();
    return new AgentEvent.RunAccepted(request, left, at);
  }

  /** Whether an iteration may be under way. */
  private static boolean wanted(AgentSnapshot state) {
    return state.phase() == Phase.ITERATING
        && state.state() == AgentState.RUNNING
        && !state.ending();
  }

  private Verdict record(AgentSnapshot state, AgentCommand.RecordReply reply) {
    boolean begun = state.phase() == Phase.INTENDED && !state.ending();
    if (!begun && !wanted(state)) {
      return unfit(state, reply);
    }
    if (state.active().orElseThrow().replies().containsKey(reply.name())) {
      return new Verdict.Refused("the call " + reply.name() + " of this step is answered already");
    }
    if (reply.reply().text().length() > limits.maxOutputBytes()) {
      return tooLarge("the reply to " + reply.name());
    }
    return Verdict.journal(
        new AgentEvent.ModelAnswered(
            reply.name(), reply.reply(), reply.paged(), cost(reply.reply().usage()), reply.at()));
  }

  private Verdict intend(AgentSnapshot state, AgentCommand.IntendAction intend) {
    if (!wanted(state)) {
      return unfit(state, intend);
    }
    String id = intend.action().actionId();
    if (state.active().orElseThrow().history().contains(id)) {
      return new Verdict.Refused("the policy chose the action id " + id + " twice");
    }
    long left = JsonSize.left(intend.action().params(), limits.maxOutputBytes());
    if (StepSize.left(intend.delta(), left) < 0) {
      return tooLarge("the record of action " + id);
    }
    return Verdict.journal(
        new AgentEvent.ActionIntended(
            intend.action(), intend.retryable(), intend.delta(), intend.at()));
  }

  private static Verdict cancel(AgentSnapshot state, AgentCommand.CancelRun cancel) {
    boolean ended =
        state.phase() == Phase.ENDED && state.queue().getFirst().runId().equals(cancel.runId());
    if (ended || state.finished().contains(cancel.runId())) {
      return new Verdict.Refused("the run has ended");
    }
    Optional<QueuedRun> run = queued(state, cancel.runId());
    if (run.isEmpty()) {
      return new Verdict.Refused("no such run");
    }
    return run.get().cancelled().isPresent()
        ? new Verdict.Repeated()
        : Verdict.journal(
            new AgentEvent.CancelRequested(
                cancel.runId(), Brief.line(cancel.reason()), cancel.at()));
  }

  private Verdict publish(AgentSnapshot state, AgentCommand.ConfirmPublished published) {
    boolean awaited =
        state.phase() == Phase.ENDED && state.queue().getFirst().runId().equals(published.runId());
    return awaited
        ? Verdict.journal(
            new AgentEvent.ResultPublished(
                published.runId(), published(state, published.runId()).left(), published.at()))
        : unfit(state, published);
  }

  private static Verdict notice(AgentSnapshot state, AgentCommand.NoticeEvents notice) {
    Optional<Watch> watch = state.watch(notice.scope());
    if (watch.isEmpty() || state.state().terminal()) {
      return new Verdict.Refused("the agent does not handle events of " + notice.scope());
    }
    if (watch.get().knows(notice.position())) {
      return new Verdict.Repeated();
    }
    int left = state.watch(watch.get().noticed(notice.position())).left();
    return Verdict.journal(
        new AgentEvent.EventsNoticed(notice.scope(), notice.position(), left, notice.at()));
  }

  /**
   * Beyond the limit of accepted runs, if need be: a scope has one run in the queue at most, and
   * writes that the blackboard has let go of cannot be refused.
   */
  private Verdict take(AgentSnapshot state, AgentCommand.TakeEvents take) {
    Optional<Watch> watch = state.watch(take.scope());
    boolean awaited =
        watch.isPresent()
            && take.upTo().compareTo(watch.get().taken()) > 0
            && !state.state().terminal();
    if (!awaited) {
      return new Verdict.Refused(
          "events of " + take.scope() + " up to " + take.upTo() + " are not awaited");
    }
    boolean deliverable =
        take.delivered().isEmpty()
            || take.run().isEmpty() && state.active().filter(ActiveRun::betweenSteps).isPresent();
    if (!deliverable) {
      return new Verdict.Refused("no run is between two steps to take events");
    }
    List<AgentEvent> events = new ArrayList<>();
    AgentSnapshot next = state;
    if (take.run().isPresent()) {
      AgentEvent accepted = acceptance(state, take.run().get(), take.at());
      events.add(accepted);
      next = apply(state, accepted);
    }
    AgentEvent.EventsTaken taken =
        new AgentEvent.EventsTaken(
            take.scope(), take.delivered(), take.upTo(), take.next(), 0, take.at());
    events.add(
        new AgentEvent.EventsTaken(
            take.scope(),
            take.delivered(),
            take.upTo(),
            take.next(),
            taken(next, taken).left(),
            take.at()));
    return new Verdict.Journal(events);
  }

  private static Verdict announce(AgentSnapshot state, AgentCommand.ConfirmAnnounced announced) {
    boolean awaited =
        state.state().terminal()
            && state.state() == announced.state()
            && state.announced() != announced.state();
    return awaited
        ? Verdict.journal(
            new AgentEvent.Announced(
                announced.state(), state.announced(announced.state()).left(), announced.at()))
        : unfit(state, announced);
  }

  private static AgentSnapshot accepted(AgentSnapshot state, AgentEvent.RunAccepted accepted) {
    return state
        .runs(
            plus(state.queue(), QueuedRun.accepted(accepted.request(), accepted.at())),
            Optional.of(state.active().orElseGet(() -> ActiveRun.begun(accepted.request()))),
            state.finished())
        .moved(LifecycleCommand.BEGIN_WORK);
  }

  private AgentSnapshot stepped(AgentSnapshot state, AgentEvent.StepCompleted step) {
    AgentSnapshot next =
        state
            .active(active(state, step).stepped(step, limits.windowBytes()))
            .mind(state.mind().after(step.delta()));
    return step.parked().isPresent() ? next.moved(LifecycleCommand.BLOCK) : next;
  }

  private AgentSnapshot published(AgentSnapshot state, RunId runId) {
    List<QueuedRun> left = List.copyOf(state.queue().subList(1, state.queue().size()));
    AgentSnapshot next =
        state.runs(
            left,
            left.stream().findFirst().map(run -> ActiveRun.begun(run.request())),
            remember(state.finished(), runId));
    return left.isEmpty() ? next.moved(LifecycleCommand.FINISH_WORK) : next;
  }

  private static AgentSnapshot taken(AgentSnapshot state, AgentEvent.EventsTaken taken) {
    AgentSnapshot next = state.watch(watch(state, taken.scope()).taken(taken.upTo(), taken.next()));
    return taken
        .delivered()
        .map(batch ->
            next.active(active(next, taken).delivered(batch)).moved(LifecycleCommand.UNBLOCK))
        .orElse(next);
  }

  private List<RunId> remember(List<RunId> finished, RunId runId) {
    List<RunId> newest = plus(finished, runId);
    int over = newest.size() - limits.rememberedRuns();
    return over > 0 ? List.copyOf(newest.subList(over, newest.size())) : newest;
  }

  private Optional<BigDecimal> cost(Usage usage) {
    return Optional.of(limits.prices().of(usage)).filter(money -> money.signum() > 0);
  }

  private Verdict tooLarge(String what) {
    return new Verdict.Refused(what + " is larger than " + limits.maxOutputBytes() + " bytes");
  }

  private static Verdict unfit(AgentSnapshot state, AgentCommand command) {
    return new Verdict.Refused(
        command.getClass().getSimpleName()
            + " does not fit an agent that is "
            + state.state()
            + ", phase "
            + state.phase());
  }

  private static Optional<QueuedRun> queued(AgentSnapshot state, RunId runId) {
    return state.queue().stream().filter(run -> run.runId().equals(runId)).findFirst();
  }

  private static ActiveRun active(AgentSnapshot state, AgentEvent event) {
    return state
        .active()
        .orElseThrow(() ->
            new IllegalStateException(
                event.getClass().getSimpleName() + " without an accepted run"));
  }

  private static Watch watch(AgentSnapshot state, Scope scope) {
    return state
        .watch(scope)
        .orElseThrow(
            () -> new IllegalStateException("events of " + scope + ", which is not watched"));
  }

  private static <T> List<T> plus(List<T> list, T one) {
    List<T> longer = new ArrayList<>(list);
    longer.add(one);
    return List.copyOf(longer);
  }
}
