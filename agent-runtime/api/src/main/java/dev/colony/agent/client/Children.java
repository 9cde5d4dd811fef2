package dev.colony.agent.client;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An agent's children: agents that it has spawned. Blocks its (virtual) thread; thread-safe. How
 * many children one may have, and how deep the tree may be, is bounded by {@code
 * colony.agent.children}.
 */
public interface Children {

  /** What becomes of a child when its parent stops or fails. */
  enum OnParentStop {
    /** It is stopped too, and its children by the same rule. The default. */
    STOP,
    /** It goes on without a parent. */
    DETACH
  }

  /** A child as its parent sees it. */
  record Child(AgentId id, AgentState state, OnParentStop onParentStop, String lastError) {}

  /**
   * Spawns a child of this agent's colony. Repeating it with the same name and blueprint returns
   * the same child.
   *
   * @param name of the child: its id is {@code tenant/colony/name}
   * @throws dev.colony.agent.AgentException if a bound is reached, or the name is taken by another
   *     agent
   */
  AgentHandle spawn(String name, AgentBlueprint blueprint, OnParentStop onParentStop);

  /** Spawns several, all or, where a bound would be exceeded, none. */
  List<AgentHandle> spawnAll(Map<String, AgentBlueprint> blueprints, OnParentStop onParentStop);

  /** All children, whatever their state. */
  List<Child> list();

  /**
   * Waits until all of these children have stopped or failed. Meanwhile other agents may have the
   * place of this one on its node.
   *
   * @throws dev.colony.agent.AgentException if they have not within the time, naming those left
   */
  List<Child> await(Set<AgentId> children, Duration longest) throws InterruptedException;

  /** Stops a child, and by its rule the children of that; what it was doing ends as cancelled. */
  void cancel(AgentId child);
}
