package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.JsonValues;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A rule of a {@link ScriptedActionPolicy}: when all its conditions hold, it sets variables and
 * decides. One that only sets variables lets the next iteration decide.
 *
 * @param when what must hold; nothing for a rule that always fits
 * @param then what is done
 */
public record ScriptedRule(When when, Then then) {

  /**
   * Conditions.
   *
   * @param first that it is, or is not, the run's first iteration
   * @param event a context key: that an event with such a context is next
   * @param after the key of the run's last action
   * @param succeeded that the last action did, or did not
   * @param variables the run's own entries that must have these values
   */
  public record When(
      Optional<Boolean> first,
      Optional<String> event,
      Optional<String> after,
      Optional<Boolean> succeeded,
      Optional<Map<String, JsonNode>> variables) {

    boolean holds(ActionPolicyExecutionState state) {
      Optional<ActionCall> last =
          state.history().isEmpty() ? Optional.empty() : Optional.of(state.history().getLast());
      return first.map(wanted -> wanted == (state.iterationNum() == 0)).orElse(true)
          && after
              .map(key -> last.filter(call -> call.action().key().equals(key)).isPresent())
              .orElse(true)
          && succeeded
              .map(wanted -> last.filter(call -> call.result().success() == wanted).isPresent())
              .orElse(true)
          && variables.orElse(Map.of()).entrySet().stream()
              .allMatch(one -> one.getValue().equals(state.custom().get(one.getKey())));
    }
  }

  /**
   * What is done: variables are set first, then at most one of the others.
   *
   * @param complete the final result, not JSON null; may hold {@code Ref}s
   * @param fail why
   * @param blocked until something has happened
   */
  public record Then(
      Optional<Act> act,
      Optional<JsonNode> complete,
      Optional<Boolean> idle,
      Optional<String> fail,
      Optional<Wait> blocked,
      Optional<Map<String, JsonNode>> set) {

    public Then {
      complete = complete.filter(result -> !result.isNull());
      long decisions =
          Stream.of(act, complete, idle.filter(yes -> yes), fail, blocked)
              .filter(Optional::isPresent)
              .count();
      if (decisions > 1 || decisions == 0 && set.isEmpty()) {
        throw new IllegalArgumentException(
            "a rule decides one thing, or sets variables, but this one decides " + decisions);
      }
    }
  }

  /**
   * An action.
   *
   * @param params may hold {@code Ref}s; in a rule on an event {@code $event} is its context
   * @param id under which its result is found; a number is added where the run has it already
   */
  public record Act(String key, Optional<ObjectNode> params, Optional<String> id) {}

  /**
   * Waiting for something that is no event.
   *
   * @param reason one line for people
   */
  public record Wait(String reason, ResumptionCondition until) {}

  /** Begins a rule for the run's first iteration. */
  public static RuleDraft first() {
    return new RuleDraft().first(true);
  }

  /** Begins a rule for events with a context of that key. */
  public static RuleDraft on(String contextKey) {
    return new RuleDraft().on(contextKey);
  }

  /** Begins a rule for the iterations in which an action of that key is the last. */
  public static RuleDraft after(String actionKey) {
    return new RuleDraft().after(actionKey);
  }

  /** Begins a rule that always fits. */
  public static RuleDraft otherwise() {
    return new RuleDraft();
  }

  boolean onEvents() {
    return when.event().isPresent();
  }

  /**
   * A rule in the making: conditions and variables in any order, and one of {@link #act}, {@link
   * #complete}, {@link #idle}, {@link #blocked}, {@link #fail} or {@link #goOn} at the end.
   */
  public static final class RuleDraft {

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

    public RuleDraft succeeded() {
      succeeded = true;
      return this;
    }

    /** If the last action did not. */
    public RuleDraft unsuccessful() {
      succeeded = false;
      return this;
    }

    public RuleDraft where(String name, Object value) {
      variables.put(name, JsonValues.toJson(value));
      return this;
    }

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
}
