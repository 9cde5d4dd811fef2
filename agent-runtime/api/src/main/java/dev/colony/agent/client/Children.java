package dev.colony.agent.client;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunOptions;
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

  /**
   * Gives each input to a child of its own, made for it, and waits for what becomes of all their
   * runs; then the children are stopped. Meanwhile other agents may have the place of this one on
   * its node.
   *
   * <p>Children and runs are named after the run on whose behalf it is called, {@code name} and the
   * input's place in the list: called again by an action that is repeated after a crash, it waits
   * for the same runs, and none is done twice.
   *
   * @param name tells the calls of one run apart; at most 80 characters of {@code [A-Za-z0-9._~-]}
   * @param inputs as {@link AgentHandle#run} takes them; the same each time it is called again
   * @param options of each run: namespace, and a timeout for how long to wait. They name neither
   *     run nor idempotency key
   * @return the runs in the order of their inputs, those that failed among them
   * @throws dev.colony.agent.AgentException if a bound is reached, then none is spawned; as {@link
   *     RunHandle#result} fails, then the children go on and calling it again waits again
   */
  List<AgentRun> gather(String name, AgentBlueprint blueprint, List<?> inputs, RunOptions options);

  /**
   * How many more children may be spawned now; other agents of the tree may spawn theirs meanwhile.
   */
  int room();

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
