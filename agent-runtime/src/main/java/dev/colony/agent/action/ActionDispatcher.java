package dev.colony.agent.action;

import java.util.List;

/**
 * Executes the actions of one agent. A call blocks its (virtual) thread until the action has ended.
 * It never throws for what an action does: what goes wrong is in the result, for the planner.
 */
public interface ActionDispatcher {

  /**
   * Resolves {@link Ref}s, holds the parameters against the schema, journals the intent of an
   * external action, executes through the hooks, within the action's timeout, and keeps a large
   * output on the blackboard. A join point of its own.
   */
  ActionResult dispatch(Action action);

  /** The groups of all active capabilities and providers, the unplanned actions included. */
  List<ActionGroup> groups();
}
