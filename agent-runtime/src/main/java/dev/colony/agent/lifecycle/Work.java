package dev.colony.agent.lifecycle;

import dev.colony.agent.Action;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ModelCall;
import dev.colony.agent.RunRequest;

/** What an agent is to do in a state; issued again after a crash, it is the same. */
public sealed interface Work {

  /** Wait for the next command. */
  record Nothing() implements Work {}

  /** Give the agent this command: it needs nothing but journaling. */
  record Tell(AgentCommand command) implements Work {}

  /** Ask the model and tell the agent the reply. */
  record CallModel(String callId, ModelCall call) implements Work {}

  /** Execute the action and tell the agent the outcome. */
  record Execute(RunRequest request, Action action, String idempotencyKey) implements Work {}

  /** Put the result on the blackboard and tell the agent so. */
  record Publish(RunRequest request, AgentRun run) implements Work {}
}
