package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.colony.blackboard.Scope;

/**
 * Names an agent for as long as its journal lives, wherever it runs.
 *
 * <p>Every part is 1 to 128 characters of {@code [A-Za-z0-9._~-]}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the part that does not fit.
 */
public record AgentId(String tenant, String colony, String name) {

  public AgentId {
    Scope.agent(tenant, colony, name);
  }

  /** Reads {@link #persistenceId} back. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static AgentId parse(String persistenceId) {
    String[] parts = persistenceId.split("/", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException(
          "an agent's id is tenant/colony/name, not: " + persistenceId);
    }
    return new AgentId(parts[0], parts[1], parts[2]);
  }

  /** {@code tenant/colony/name}: the key of its journal and its address in the inbox. */
  @JsonValue
  public String persistenceId() {
    return tenant + "/" + colony + "/" + name;
  }

  /** The agent's own part of the blackboard. */
  public Scope scope() {
    return Scope.agent(tenant, colony, name);
  }

  /** Whether a scope is of the agent's tenant and, if it is of one colony, of the agent's. */
  public boolean mayUse(Scope scope) {
    return scope.tenant().equals(tenant) && scope.colony().map(colony::equals).orElse(true);
  }

  @Override
  public String toString() {
    return persistenceId();
  }
}
