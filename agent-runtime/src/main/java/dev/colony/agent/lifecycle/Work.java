package dev.colony.agent.lifecycle;

import dev.colony.agent.Action;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ModelCall;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.key.KeyGlob;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

  /**
   * Have the blackboard wake the agent for what it handles, and tell the agent where it begins.
   *
   * @param wanted the patterns of each scope; of every other scope that is watched, none
   * @param watched what has been so far
   * @param first whether the agent has done nothing yet, so that writes since it was spawned count
   */
  record WatchScopes(Map<Scope, Set<KeyGlob>> wanted, List<Watch> watched, boolean first)
      implements Work {}

  /** Read the matching writes of a scope that no run was started for. */
  record ReadEvents(Watch watch) implements Work {}
}
