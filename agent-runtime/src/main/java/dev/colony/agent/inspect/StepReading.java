package dev.colony.agent.inspect;

import dev.colony.agent.RunId;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads steps off a stretch of a journal. A run's steps stand before its end, which names it; those
 * after the last end belong to the run that is open. Not thread-safe.
 */
final class StepReading {

  private final List<InspectedStep> steps = new ArrayList<>();
  private Optional<Instant> before = Optional.empty();
  private int modelCalls;
  private Usage usage = Usage.NONE;
  private BigDecimal cost = BigDecimal.ZERO;
  private int named;

  void take(AgentEvent event) {
    switch (event) {
      case AgentEvent.ModelAnswered answered -> {
        modelCalls++;
        usage = usage.plus(answered.reply().usage());
        cost = cost.add(answered.cost().orElse(BigDecimal.ZERO));
      }
      case AgentEvent.StepCompleted step -> {
        steps.add(step(step));
        modelCalls = 0;
        usage = Usage.NONE;
        cost = BigDecimal.ZERO;
      }
      case AgentEvent.RunCompleted completed -> name(Optional.of(completed.run().runId()));
      case AgentEvent.Spawned other -> {}
      case AgentEvent.Claimed other -> {}
      case AgentEvent.RunAccepted other -> {}
      case AgentEvent.ActionIntended other -> {}
      case AgentEvent.CancelRequested other -> {}
      case AgentEvent.ResultPublished other -> {}
      case AgentEvent.ScopesWatched other -> {}
      case AgentEvent.EventsNoticed other -> {}
      case AgentEvent.EventsTaken other -> {}
      case AgentEvent.Transitioned other -> {}
      case AgentEvent.Announced other -> {}
      case AgentEvent.Forked other -> {}
      case AgentEvent.SuspensionEntered other -> {}
      case AgentEvent.Approved other -> {}
      case AgentEvent.Rehomed other -> {}
      case AgentEvent.RehomeConfirmed other -> {}
    }
    before = Optional.of(event.at());
  }

  int count() {
    return steps.size();
  }

  /**
   * The last steps, the oldest first.
   *
   * @param open the run that is open
   */
  List<InspectedStep> last(int count, Optional<RunId> open) {
    name(open);
    return List.copyOf(steps.subList(Math.max(0, steps.size() - count), steps.size()));
  }

  private InspectedStep step(AgentEvent.StepCompleted step) {
    Usage within = step.call().map(call -> call.result().usage()).orElse(Usage.NONE);
    return new InspectedStep(
        Optional.empty(),
        step.step(),
        step.at(),
        before.map(instant -> Duration.between(instant, step.at())),
        step.call(),
        modelCalls,
        usage.plus(within),
        cost.add(step.cost().orElse(BigDecimal.ZERO)),
        step.parked(),
        step.error());
  }

  private void name(Optional<RunId> run) {
    for (; named < steps.size(); named++) {
      InspectedStep one = steps.get(named);
      steps.set(
          named,
          new InspectedStep(
              run,
              one.step(),
              one.at(),
              one.took(),
              one.call(),
              one.modelCalls(),
              one.usage(),
              one.cost(),
              one.parked(),
              one.error()));
    }
  }
}
