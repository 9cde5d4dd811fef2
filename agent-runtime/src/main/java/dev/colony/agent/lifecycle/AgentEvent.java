package dev.colony.agent.lifecycle;

import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.inference.InferenceReply;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What is journaled. Runs are worked off in order, so that events need not name theirs. */
public sealed interface AgentEvent {

  /** By the clock of the node that journaled it. */
  Instant at();

  /** Whether work is outstanding from this event on; empty if it does not change that. */
  default Optional<Boolean> outstanding() {
    return switch (this) {
      case RunAccepted accepted -> accepted.ahead() == 0 ? Optional.of(true) : Optional.empty();
      case EventsNoticed noticed -> Optional.of(true);
      case ResultPublished published -> Optional.of(published.left() > 0);
      case ScopesWatched watched -> Optional.of(watched.left() > 0);
      case EventsTaken taken -> Optional.of(taken.left() > 0);
      case Spawned spawned -> Optional.empty();
      case Claimed claimed -> Optional.empty();
      case ModelAnswered answered -> Optional.empty();
      case ModelFailed failed -> Optional.empty();
      case ActionIntended intended -> Optional.empty();
      case StepCompleted step -> Optional.empty();
      case RunCompleted completed -> Optional.empty();
    };
  }

  /** The agent's first event. */
  record Spawned(AgentBlueprint blueprint, Instant at) implements AgentEvent {}

  /** A new incarnation has taken over; whatever an earlier one still does is void. */
  record Claimed(long incarnation, String node, Instant at) implements AgentEvent {}

  /**
   * A run will be executed.
   *
   * @param ahead how many runs are worked off before it; 0 if the agent had nothing to do
   */
  record RunAccepted(RunRequest request, int ahead, Instant at) implements AgentEvent {}

  /**
   * The model answered within the current step.
   *
   * @param paged whether the call carried pages, so that residency means something
   */
  record ModelAnswered(InferenceReply reply, boolean paged, Instant at) implements AgentEvent {}

  /** The model did not answer within the current step. */
  record ModelFailed(ModelFailure failure, Instant at) implements AgentEvent {}

  /** An action with an external effect is about to start. */
  record ActionIntended(Action action, Instant at) implements AgentEvent {}

  /** The current step's action has ended, and with it the step, counted from 0. */
  record StepCompleted(int step, ActionOutcome outcome, Instant at) implements AgentEvent {}

  /** The current run has ended; its result is not on the blackboard yet. */
  record RunCompleted(AgentRun run, Instant at) implements AgentEvent {}

  /**
   * The run's result is on the blackboard.
   *
   * @param left how much remains: accepted runs, and scopes with writes to read; 0 if the agent has
   *     nothing left to do
   */
  record ResultPublished(RunId runId, int left, Instant at) implements AgentEvent {}

  /**
   * The blackboard wakes the agent for writes to these scopes, and for no others.
   *
   * @param left as for {@link ResultPublished}
   */
  record ScopesWatched(List<Watch> watches, int left, Instant at) implements AgentEvent {}

  /** A write at this position woke the agent; a run will be started for it. */
  record EventsNoticed(Scope scope, Position position, Instant at) implements AgentEvent {}

  /**
   * The writes of a scope up to a position are in a run that was accepted with this event, or there
   * were none.
   *
   * @param next the first write after them that is known
   * @param left as for {@link ResultPublished}
   */
  record EventsTaken(Scope scope, Position upTo, Optional<Position> next, int left, Instant at)
      implements AgentEvent {}
}
