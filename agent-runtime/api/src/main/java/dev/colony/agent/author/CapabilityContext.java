package dev.colony.agent.author;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import java.util.Objects;
import java.util.Optional;

/**
 * What a capability stands on.
 *
 * @param agent the agent that it is part of; empty for a detached capability
 * @param capabilityKey names it within the agent
 * @param blackboard the part of the blackboard that is the capability's: in local mode the agent's,
 *     in remote mode another agent's, in shared mode one that several agents have in common
 */
public record CapabilityContext(
    Optional<Agent> agent, String capabilityKey, Blackboard blackboard) {

  public CapabilityContext {
    Objects.requireNonNull(agent, "agent");
    Objects.requireNonNull(capabilityKey, "capabilityKey");
    Objects.requireNonNull(blackboard, "blackboard");
  }

  /** For a capability outside any agent: it reaches agents through a scope of theirs. */
  public static CapabilityContext detached(
      Blackboards blackboards, Scope scope, String capabilityKey) {
    return new CapabilityContext(
        Optional.empty(), capabilityKey, blackboards.open(scope, capabilityKey));
  }

  public Scope scope() {
    return blackboard.scope();
  }

  /**
   * The agent.
   *
   * @throws AgentException for a detached capability
   */
  public Agent owner() {
    return agent.orElseThrow(() ->
        AgentException.refused(
            "the capability " + capabilityKey + " is detached: it has no agent"));
  }
}
