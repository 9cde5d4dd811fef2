package dev.colony.agent.lifecycle;

import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.inference.InferenceReply;
import java.time.Instant;

/** What is journaled. Runs are worked off in order, so that events need not name theirs. */
public sealed interface AgentEvent {

  /** By the clock of the node that journaled it. */
  Instant at();

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
   * @param left how many accepted runs remain; 0 if the agent has nothing left to do
   */
  record ResultPublished(RunId runId, int left, Instant at) implements AgentEvent {}
}
