package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.Ref;
import java.util.List;
import java.util.Set;

/**
 * Executes the actions of one agent. A call blocks its (virtual) thread until the action has ended.
 * It never throws for what an action does: what goes wrong is in the result, for the planner.
 */
public interface ActionDispatcher {

  /**
   * Resolves {@link Ref}s, holds the parameters against the schema, waits for no person but answers
   * {@link ActionResult.Status#BLOCKED} where one has to approve the action, journals the intent of
   * an external action, executes through the hooks, within the action's timeout, and keeps a large
   * output on the blackboard. A join point of its own.
   */
  ActionResult dispatch(Action action);

  /**
   * Executes one of several actions of an iteration, as {@link #dispatch} executes the only one.
   * May be called by several threads at once. Its result is durable before this returns: the
   * iteration that is executed again after a crash gets it again without executing the action, and
   * an external one whose outcome a crash hid is finished under the same idempotency key, or is
   * {@link ActionResult.Status#INTERRUPTED} where it must not be repeated. With another key or
   * other parameters than before the crash it is {@link ActionResult.Status#REFUSED}, by name, and
   * nothing is executed; what is written as a {@link Ref} counts as given the same where the action
   * had only begun. The calls enter the run's history when the step ends, in the order in which
   * they ended.
   *
   * @param action whose id no other action of the run has
   */
  default ActionResult perform(Action action) {
    throw AgentException.refused("this dispatcher executes one action an iteration");
  }

  /**
   * A value with its {@link Ref}s resolved as those in parameters are, for what is no action.
   *
   * @throws AgentException naming the first reference to what is not there, or if this dispatcher
   *     resolves none
   */
  default JsonNode resolve(JsonNode value) {
    throw AgentException.refused("references cannot be resolved here");
  }

  /** The groups of all active capabilities and providers, the unplanned actions included. */
  List<ActionGroup> groups();

  /**
   * Offers further actions, besides those of the capabilities; a policy does so when it is made.
   *
   * @throws AgentException if the name of the group or the key of an action is taken, or this
   *     dispatcher takes no further ones
   */
  default void offer(ActionProvider provider) {
    throw AgentException.refused("no actions can be added here: " + provider.name());
  }

  /**
   * Leaves only the actions of these keys, for as long as the policy lives.
   *
   * @throws AgentException if this dispatcher cannot
   */
  default void limitTo(Set<String> keys) {
    throw AgentException.refused("the actions cannot be limited here");
  }
}
