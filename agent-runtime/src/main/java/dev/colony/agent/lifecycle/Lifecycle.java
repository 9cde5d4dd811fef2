package dev.colony.agent.lifecycle;

import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.lifecycle.AgentSnapshot.Phase;
import dev.colony.blackboard.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns commands into events and events into states. Pure: equal arguments, equal results. */
public final class Lifecycle {

  private final RunLimits limits;

  public Lifecycle(RunLimits limits) {
    this.limits = limits;
  }

  /** What a command leads to in a state; the events of a verdict apply to that state. */
  public Verdict decide(AgentSnapshot state, AgentCommand command) {
    return switch (command) {
      case AgentCommand.Claim claim -> claim(state, claim);
      case AgentCommand.AcceptRun accept -> accept(state, accept.request(), accept.at());
      case AgentCommand.RecordReply reply ->
          only(
              state.phase() == Phase.PLANNING,
              state,
              command,
              new AgentEvent.ModelAnswered(reply.reply(), reply.paged(), reply.at()));
      case AgentCommand.RecordModelFailure failure ->
          only(
              state.phase() == Phase.PLANNING,
              state,
              command,
              new AgentEvent.ModelFailed(failure.failure(), failure.at()));
      case AgentCommand.IntendAction intend ->
          only(
              betweenActions(state.phase()),
              state,
              command,
              new AgentEvent.ActionIntended(intend.action(), intend.at()));
      case AgentCommand.CompleteStep step ->
          only(
              betweenActions(state.phase()) || state.phase() == Phase.INTENDED,
              state,
              command,
              new AgentEvent.StepCompleted(
                  state.active().map(run -> run.stats().steps()).orElse(0),
                  step.outcome(),
                  step.at()));
      case AgentCommand.CompleteRun run ->
          only(
              betweenActions(state.phase()),
              state,
              command,
              new AgentEvent.RunCompleted(run.run(), run.at()));
      case AgentCommand.ConfirmPublished published ->
          only(
              state.phase() == Phase.ENDED
                  && state.queue().getFirst().runId().equals(published.runId()),
              state,
              command,
              new AgentEvent.ResultPublished(published.runId(), state.left() - 1, published.at()));
      case AgentCommand.WatchScopes watch -> watch(state, watch);
      case AgentCommand.NoticeEvents notice -> notice(state, notice);
      case AgentCommand.TakeEvents take -> take(state, take);
    };
  }

  /** The state after an event. */
  public AgentSnapshot apply(AgentSnapshot state, AgentEvent event) {
    return switch (event) {
      case AgentEvent.Spawned spawned -> state.spawned(spawned.blueprint());
      case AgentEvent.Claimed claimed -> state.claimed(claimed.incarnation(), claimed.node());
      case AgentEvent.RunAccepted accepted ->
          state.runs(
              plus(state.queue(), accepted.request()),
              Optional.of(state.active().orElseGet(ActiveRun::fresh)),
              state.finished());
      case AgentEvent.ModelAnswered answered ->
          state.active(active(state, event).answered(answered.reply(), answered.paged()));
      case AgentEvent.ModelFailed failed ->
          state.active(active(state, event).modelFailed(failed.failure()));
      case AgentEvent.ActionIntended intended ->
          state.active(active(state, event).intended(intended.action(), state.incarnation()));
      case AgentEvent.StepCompleted step ->
          state.active(active(state, event).stepped(step.outcome()));
      case AgentEvent.RunCompleted completed ->
          state.active(active(state, event).ended(completed.run()));
      case AgentEvent.ResultPublished published -> published(state, published.runId());
      case AgentEvent.ScopesWatched watched -> state.watches(watched.watches());
      case AgentEvent.EventsNoticed noticed ->
          state.watch(watch(state, noticed.scope()).noticed(noticed.position()));
      case AgentEvent.EventsTaken taken ->
          state.watch(watch(state, taken.scope()).taken(taken.upTo(), taken.next()));
    };
  }

  private Verdict claim(AgentSnapshot state, AgentCommand.Claim claim) {
    AgentEvent claimed = new AgentEvent.Claimed(state.incarnation() + 1, claim.node(), claim.at());
    if (state.phase() != Phase.UNBORN) {
      return Verdict.journal(claimed);
    }
    return claim
        .blueprint()
        .map(blueprint -> Verdict.journal(new AgentEvent.Spawned(blueprint, claim.at()), claimed))
        .orElseGet(() -> new Verdict.Refused("no such agent"));
  }

  private Verdict accept(AgentSnapshot state, RunRequest request, Instant at) {
    if (state.phase() == Phase.UNBORN) {
      return new Verdict.Refused("no such agent");
    }
    if (state.finished().contains(request.runId())
        || state.queue().stream().anyMatch(run -> run.runId().equals(request.runId()))) {
      return new Verdict.Repeated();
    }
    int ahead = state.queue().size();
    if (ahead >= limits.maxQueuedRuns()) {
      return new Verdict.Refused(
          "the agent has " + ahead + " unfinished runs, as many as it may have");
    }
    return Verdict.journal(new AgentEvent.RunAccepted(request, ahead, at));
  }

  private static Verdict watch(AgentSnapshot state, AgentCommand.WatchScopes watch) {
    return only(
        state.phase() != Phase.UNBORN,
        state,
        watch,
        new AgentEvent.ScopesWatched(
            watch.watches(), state.watches(watch.watches()).left(), watch.at()));
  }

  private static Verdict notice(AgentSnapshot state, AgentCommand.NoticeEvents notice) {
    Optional<Watch> watch = state.watch(notice.scope());
    if (watch.isEmpty()) {
      return new Verdict.Refused("the agent does not handle events of " + notice.scope());
    }
    return watch.get().knows(notice.position())
        ? new Verdict.Repeated()
        : Verdict.journal(
            new AgentEvent.EventsNoticed(notice.scope(), notice.position(), notice.at()));
  }

  /**
   * Beyond the limit of accepted runs, if need be: a scope has one run in the queue at most, and
   * writes that the blackboard has let go of cannot be refused.
   */
  private static Verdict take(AgentSnapshot state, AgentCommand.TakeEvents take) {
    Optional<Watch> watch = state.watch(take.scope());
    if (watch.isEmpty() || take.upTo().compareTo(watch.get().taken()) <= 0) {
      return new Verdict.Refused(
          "events of " + take.scope() + " up to " + take.upTo() + " are not awaited");
    }
    List<AgentEvent> events = new ArrayList<>();
    take.run()
        .ifPresent(
            run -> events.add(new AgentEvent.RunAccepted(run, state.queue().size(), take.at())));
    int left =
        state.watch(watch.get().taken(take.upTo(), take.next())).left()
            + (take.run().isPresent() ? 1 : 0);
    events.add(new AgentEvent.EventsTaken(take.scope(), take.upTo(), take.next(), left, take.at()));
    return new Verdict.Journal(events);
  }

  private AgentSnapshot published(AgentSnapshot state, RunId runId) {
    List<RunRequest> left = List.copyOf(state.queue().subList(1, state.queue().size()));
    return state.runs(
        left,
        left.isEmpty() ? Optional.empty() : Optional.of(ActiveRun.fresh()),
        remember(state.finished(), runId));
  }

  private List<RunId> remember(List<RunId> finished, RunId runId) {
    List<RunId> newest = plus(finished, runId);
    int over = newest.size() - limits.rememberedRuns();
    return over > 0 ? List.copyOf(newest.subList(over, newest.size())) : newest;
  }

  private static boolean betweenActions(Phase phase) {
    return phase == Phase.PLANNING || phase == Phase.ANSWERED || phase == Phase.MODEL_FAILED;
  }

  private static Verdict only(
      boolean fits, AgentSnapshot state, AgentCommand command, AgentEvent event) {
    return fits
        ? Verdict.journal(event)
        : new Verdict.Refused(
            command.getClass().getSimpleName() + " does not fit phase " + state.phase());
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
    List<T> longer = new ArrayList<>(list.size() + 1);
    longer.addAll(list);
    longer.add(one);
    return List.copyOf(longer);
  }
}
