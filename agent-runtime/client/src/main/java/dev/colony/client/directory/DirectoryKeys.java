package dev.colony.client.directory;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import java.util.Optional;

/**
 * Where what is known of a colony's agents stands: in the colony's scope, namespace {@code agents},
 * under the agent's name, and under that name behind a prefix and a colon, which no name holds. All
 * of it is one scope, so that a transaction holds it together.
 */
public final class DirectoryKeys {

  /** The tag of the agents' own entries. */
  public static final String AGENT = "agent";

  private static final String NAMESPACE = "agents";
  private static final String STATE = "state:";

  private DirectoryKeys() {}

  public static Scope scope(String tenant, String colony) {
    return Scope.colony(tenant, colony).namespace(NAMESPACE);
  }

  static boolean inDirectory(Scope scope) {
    return scope.level() == ScopeLevel.COLONY && scope.namespace().equals(Optional.of(NAMESPACE));
  }

  static AgentId agent(Scope scope, String name) {
    return new AgentId(scope.tenant(), scope.colony().orElseThrow(), name);
  }

  /** What the agent last made known of its state. */
  public static String state(String agent) {
    return STATE + agent;
  }

  static Optional<String> stateOf(String key) {
    return key.startsWith(STATE) ? Optional.of(key.substring(STATE.length())) : Optional.empty();
  }

  /** The agent's children. */
  public static String brood(String agent) {
    return "children:" + agent;
  }

  /** How many living agents descend from a root. */
  public static String tree(String root) {
    return "tree:" + root;
  }
}
