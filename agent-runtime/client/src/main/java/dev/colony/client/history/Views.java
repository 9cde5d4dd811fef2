package dev.colony.client.history;

import dev.colony.agent.RunRequest;
import dev.colony.agent.TraceParent;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.AgentView.BlockedView;
import dev.colony.agent.client.AgentView.MemoryView;
import dev.colony.agent.client.AgentView.OpenRunView;
import dev.colony.agent.client.AgentView.RunView;
import dev.colony.agent.client.AgentView.SuspensionView;
import dev.colony.agent.client.AgentView.WatchView;
import dev.colony.agent.client.LifecycleEvent;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.client.history.AgentHistory.Replayed;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.ForkSeed;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Translates what is journaled to what callers see: the only place where both are known. */
final class Views {

  private Views() {}

  static AgentView of(Replayed.State state) {
    AgentSnapshot agent = state.snapshot();
    return new AgentView(
        state.agent(),
        state.sequenceNr(),
        agent.state(),
        agent.reason(),
        agent.suspension().map(SuspensionView::of),
        agent.status().suspensions(),
        state.lost().map(log -> new AgentView.LostEvents(log.stored(), log.acknowledged())),
        agent
            .blueprint()
            .orElseThrow(() -> new IllegalStateException(state.agent() + " has no blueprint")),
        agent.incarnation(),
        agent.node(),
        agent.holder().recoveries(),
        runs(agent.queue(), agent.active()),
        agent.active().map(Views::open),
        agent.finished(),
        memory(agent.memory()),
        agent.watches().stream().map(Views::watch).toList(),
        agent.forkSeed().map(ForkSeed::origin));
  }

  private static List<RunView> runs(List<QueuedRun> queue, Optional<ActiveRun> active) {
    return IntStream.range(0, queue.size())
        .mapToObj(i -> run(queue.get(i), i == 0 ? active : Optional.empty()))
        .toList();
  }

  private static RunView run(QueuedRun queued, Optional<ActiveRun> active) {
    RunRequest request = queued.request();
    return new RunView(
        queued.runId(),
        request.namespace(),
        request.input(),
        request.requestedBy(),
        request.context().trace(),
        traceId(request),
        active.map(ActiveRun::session).orElse(request.context().session()),
        queued.acceptedAt(),
        queued.cancelled(),
        active.map(ActiveRun::stats),
        active.flatMap(ActiveRun::blocked).map(Views::blocked));
  }

  private static OpenRunView open(ActiveRun run) {
    return new OpenRunView(
        run.history().stream().map(ActionView::of).toList(),
        run.custom(),
        run.approvals(),
        run.grants().budgets(),
        run.events(),
        run.actions().ended().stream().map(ActionView::of).toList(),
        intents(run),
        run.ended());
  }

  private static List<OpenRunView.Intent> intents(ActiveRun run) {
    return Stream.concat(
            run.intended().stream().map(one -> intent(one.action(), one.retryable())),
            run.actions().begun().values().stream()
                .map(one -> intent(one.action(), one.retryable()))
                .sorted(Comparator.comparing(OpenRunView.Intent::actionId)))
        .toList();
  }

  private static OpenRunView.Intent intent(Action action, boolean retryable) {
    return new OpenRunView.Intent(action.actionId(), action.key(), action.params(), retryable);
  }

  static BlockedView blocked(Blocked blocked) {
    return new BlockedView(
        blocked.idle(),
        blocked.reason(),
        blocked.blockingAgentIds(),
        blocked.until(),
        blocked.since());
  }

  private static MemoryView memory(DurableMemory memory) {
    return new MemoryView(
        memory.streams(), memory.capabilities(), memory.disabled(), memory.policy());
  }

  private static WatchView watch(Watch watch) {
    return new WatchView(
        watch.scope(),
        watch.globs().stream().map(KeyGlob::pattern).collect(Collectors.toUnmodifiableSet()),
        watch.taken(),
        watch.unread());
  }

  /** Empty for what is a part of a step or of another event, or is only told within the cluster. */
  static Optional<LifecycleEvent> event(long number, AgentEvent event) {
    LifecycleEvent shown =
        switch (event) {
          case AgentEvent.Spawned e -> new LifecycleEvent.Spawned(number, e.at(), e.blueprint());
          case AgentEvent.Claimed e ->
              new LifecycleEvent.Claimed(number, e.at(), e.incarnation(), e.node(), e.recoveries());
          case AgentEvent.Forked e ->
              new LifecycleEvent.Forked(
                  number, e.at(), e.forkSeed().origin(), e.forkSeed().sequenceNr());
          case AgentEvent.RewindRequested e ->
              new LifecycleEvent.Rewound(
                  number,
                  e.at(),
                  e.rewinding().run(),
                  e.rewinding().step(),
                  e.rewinding().attempt(),
                  e.reason());
          case AgentEvent.RewindRefused e ->
              new LifecycleEvent.RewindRefused(number, e.at(), e.reason());
          case AgentEvent.RunAccepted e -> accepted(number, e);
          case AgentEvent.RunCompleted e ->
              new LifecycleEvent.RunCompleted(number, e.at(), e.run());
          case AgentEvent.CancelRequested e ->
              new LifecycleEvent.CancelRequested(number, e.at(), e.runId(), e.reason());
          case AgentEvent.Transitioned e ->
              new LifecycleEvent.StateChanged(
                  number,
                  e.at(),
                  e.command().name(),
                  e.from(),
                  e.to(),
                  e.reason(),
                  e.suspension().map(SuspensionView::of));
          case AgentEvent.Approved e ->
              new LifecycleEvent.ApprovalGiven(number, e.at(), e.approval());
          case AgentEvent.Rehomed e ->
              new LifecycleEvent.Rehomed(number, e.at(), e.unit(), e.reason());
          case AgentEvent.BlueprintRevised e ->
              new LifecycleEvent.BlueprintRevised(
                  number, e.at(), e.blueprint(), e.revision().number(), e.reason());
          default -> null;
        };
    return Optional.ofNullable(shown);
  }

  private static LifecycleEvent accepted(long number, AgentEvent.RunAccepted accepted) {
    RunRequest request = accepted.request();
    return new LifecycleEvent.RunAccepted(
        number,
        accepted.at(),
        request.runId(),
        request.namespace(),
        request.input(),
        request.requestedBy(),
        request.at(),
        request.context().trace(),
        traceId(request),
        request.context().session());
  }

  private static Optional<String> traceId(RunRequest request) {
    return Optional.of(TraceParent.traceId(request.context()));
  }
}
