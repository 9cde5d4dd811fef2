package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.schema.JsonValues;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A rule in the making: conditions and variables in any order, and one of {@link #act}, {@link
 * #complete}, {@link #idle}, {@link #blocked}, {@link #fail} or {@link #goOn} at the end.
 */
public final class RuleDraft {

  private Boolean first;
  private String event;
  private String after;
  private Boolean succeeded;
  private final Map<String, JsonNode> variables = new HashMap<>();
  private final Map<String, JsonNode> set = new HashMap<>();

  RuleDraft() {}

  RuleDraft first(boolean is) {
    first = is;
    return this;
  }

  RuleDraft on(String contextKey) {
    event = contextKey;
    return this;
  }

  RuleDraft after(String actionKey) {
    after = actionKey;
    return this;
  }

  /** If the last action succeeded. */
  public RuleDraft succeeded() {
    succeeded = true;
    return this;
  }

  /** If the last action did not. */
  public RuleDraft unsuccessful() {
    succeeded = false;
    return this;
  }

  /** If a variable has a value. */
  public RuleDraft where(String name, Object value) {
    variables.put(name, JsonValues.toJson(value));
    return this;
  }

  /** Set a variable. */
  public RuleDraft set(String name, Object value) {
    set.put(name, JsonValues.toJson(value));
    return this;
  }

  /**
   * Take an action.
   *
   * @param params names and values in turn; a value may be a {@code Ref}
   */
  public ScriptedRule act(String key, Object... params) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    for (int i = 0; i < params.length; i += 2) {
      json.set((String) params[i], JsonValues.toJson(params[i + 1]));
    }
    ScriptedRule.Act act = new ScriptedRule.Act(key, Optional.of(json), Optional.empty());
    return ends(act, null, null, null, null);
  }

  /** End the run with a result. */
  public ScriptedRule complete(Object finalResult) {
    return ends(null, JsonValues.toJson(finalResult), null, null, null);
  }

  /** Wait for events. */
  public ScriptedRule idle() {
    return ends(null, null, true, null, null);
  }

  /** Wait until something has happened that is no event; the reason is one line for people. */
  public ScriptedRule blocked(String reason, ResumptionCondition until) {
    return ends(null, null, null, new ScriptedRule.Wait(reason, until), null);
  }

  /** End the run as failed. */
  public ScriptedRule fail(String reason) {
    return ends(null, null, null, null, reason);
  }

  /** Set the variables and let the next iteration decide. */
  public ScriptedRule goOn() {
    return ends(null, null, null, null, null);
  }

  private ScriptedRule ends(
      ScriptedRule.Act act,
      JsonNode complete,
      Boolean idle,
      ScriptedRule.Wait blocked,
      String reason) {
    return new ScriptedRule(
        new ScriptedRule.When(
            Optional.ofNullable(first),
            Optional.ofNullable(event),
            Optional.ofNullable(after),
            Optional.ofNullable(succeeded),
            variables.isEmpty() ? Optional.empty() : Optional.of(variables)),
        new ScriptedRule.Then(
            Optional.ofNullable(act),
            Optional.ofNullable(complete),
            Optional.ofNullable(idle),
            Optional.ofNullable(reason),
            Optional.ofNullable(blocked),
            set.isEmpty() ? Optional.empty() : Optional.of(set)));
  }
}
