package dev.colony.core.lifecycle;

import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunRequest;
import dev.colony.agent.Suspension;
import dev.colony.agent.author.DurableMemory;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.Intent.Intended;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What an agent is to do in a state; issued again after a crash, it is the same. */
public sealed interface AgentEffect {

  /** Wait for the next command. */
  record Nothing() implements AgentEffect {}

  /** Give the agent this command: it needs nothing but journaling. */
  record IssueCommand(AgentCommand command) implements AgentEffect {}

  /**
   * Execute an iteration of the policy and tell the agent what it came to.
   *
   * @param name of the step, the same whatever crashes; see {@link Effects#idempotencyKey}
   */
  record Iterate(RunRequest request, ActiveRun run, DurableMemory memory, String name)
      implements AgentEffect {}

  /**
   * Execute again an external action that a crash cut off, and complete the step with what becomes
   * of it and with the changes that were journaled with the intent.
   *
   * @param key the idempotency key under which it was executed before
   */
  record FinishIntended(RunRequest request, Intended intended, String key) implements AgentEffect {}

  /** Put the result on the blackboard and tell the agent so. */
  record Publish(RunRequest request, AgentRun run) implements AgentEffect {}

  /**
   * Have the blackboard wake the agent for what it handles, and tell the agent where it begins.
   *
   * @param wanted the patterns of each scope; of every other scope that is watched, none
   * @param watched what has been so far
   * @param first whether the agent has done nothing yet, so that writes since it was spawned count
   */
  record WatchScopes(Map<Scope, Set<KeyGlob>> wanted, List<Watch> watched, boolean first)
      implements AgentEffect {}

  /**
   * Read the matching writes of a scope that were not taken.
   *
   * @param intoRun whether they are for the run that is open; otherwise for one of their own
   */
  record ReadEvents(Watch watch, boolean intoRun) implements AgentEffect {}

  /** Tell the directory that the agent is at its end, and its children what follows for them. */
  record Announce(AgentState state) implements AgentEffect {}

  /** Enter the suspension into the index of those that wait, and tell the agent so. */
  record EnterSuspension(Suspension suspension) implements AgentEffect {}

  /** Have the directory know where the agent lives from now on, and tell the agent so. */
  record MoveHome(int unit) implements AgentEffect {}
}
