package dev.colony.core.lifecycle;

import dev.colony.agent.RunRequest;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import java.time.Instant;
import java.util.Optional;

/** Puts a run into an agent's queue. */
final class Accepting {

  private Accepting() {}

  static AgentEvent.RunAccepted event(AgentSnapshot state, RunRequest request, Instant at) {
    int left = apply(state, new AgentEvent.RunAccepted(request, 0, at)).left();
    return new AgentEvent.RunAccepted(request, left, at);
  }

  /** The first run of a fork begins where the run of its origin was. */
  static AgentSnapshot apply(AgentSnapshot state, AgentEvent.RunAccepted accepted) {
    RunRequest request = accepted.request();
    ActiveRun begun =
        state
            .forkSeed()
            .map(inherited -> ActiveRun.begun(request, inherited))
            .orElseGet(() -> ActiveRun.begun(request));
    QueuedRun run = QueuedRun.accepted(request, accepted.at());
    return state
        .runs(state.runs().accepted(run, begun))
        .forkSeed(Optional.empty())
        .moved(LifecycleCommand.BEGIN_WORK);
  }
}
