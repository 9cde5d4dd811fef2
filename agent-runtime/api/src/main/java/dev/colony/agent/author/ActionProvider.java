package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import java.util.List;

/** Offers actions: a capability by its methods, or anything else that a policy adds. */
public interface ActionProvider {

  /** Names the group of its actions: a capability's key, or a name that no capability has. */
  String name();

  /** What its actions are for, for a reader who decides. */
  String summary();

  /** Its actions; the same for as long as it lives, unless it is {@link #changing}. */
  List<ActionDescription> actions();

  /**
   * Whether {@link #actions} may change. They are asked for when an iteration begins, on its
   * (virtual) thread, and are the same until it ends. One whose key another provider offers is left
   * out.
   */
  default boolean changing() {
    return false;
  }

  /** How often an action is tried in all, at least 1. */
  default int attempts(String key) {
    return 1;
  }

  /**
   * What is wrong with parameters, one line each; empty if nothing is. Holds them against the
   * action's schema, which is compiled for each call: override it where that counts.
   */
  default List<String> violations(String key, JsonNode params) {
    return actions().stream()
        .filter(action -> action.key().equals(key))
        .flatMap(action -> JsonSchemaCheck.of(action.parameters()).violations(params).stream())
        .toList();
  }

  /**
   * Executes an action. Runs on a thread of its own, which is interrupted when its time is over.
   *
   * @param key as one of {@link #actions} names it
   * @param params fit the action's schema
   * @return the output: what Jackson can write, a {@link java.util.concurrent.CompletionStage} of
   *     it, or an {@link dev.colony.agent.action.ActionResult} of an action that is blocked
   * @throws Exception which is the action's failure, with its message
   */
  Object execute(String key, ObjectNode params, ActionContext context) throws Exception;

  /**
   * A capability whose actions its class does not declare: those of a server that it is connected
   * to, say. A class has either such actions or {@link ActionExecutor} methods. What a blueprint
   * includes or excludes of them is not checked before the agent works: an unknown key is of no
   * account.
   */
  interface ActionSource {

    /** Asked for once, after {@link AgentCapability#restore}; named as the capability's key is. */
    ActionProvider actions();
  }
}
