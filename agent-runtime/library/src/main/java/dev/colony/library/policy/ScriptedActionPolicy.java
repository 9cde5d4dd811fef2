package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicySettings;
import dev.colony.agent.author.Registered;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides by rules, without a model: the first rule that fits says what is done. Rules on events go
 * before the others; each event is given to one iteration, the oldest first, and one that no rule
 * is for is passed over. Where no rule fits, it waits for events.
 */
@Registered(value = "colony.scripted", summary = "Follows rules, without a model.")
public final class ScriptedActionPolicy extends EventDrivenActionPolicy {

  /** The context of the event that the rule was for, as an entry of the run. */
  static final String EVENT = "event";

  private static final String PENDING = "pendingEvents";

  /**
   * The rules, the first that fits being followed.
   *
   * @param rules at least one
   */
  public record Script(List<ScriptedRule> rules) {

    public Script {
      rules = List.copyOf(rules);
      if (rules.isEmpty()) {
        throw new IllegalArgumentException("a script needs at least one rule");
      }
    }

    public static Script of(ScriptedRule... rules) {
      return new Script(List.of(rules));
    }
  }

  private final Script script;

  public ScriptedActionPolicy(PolicyContext context, Script script) {
    super(context);
    this.script = script;
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    try {
      return decide(state);
    } catch (AgentException unresolvable) {
      return Decision.Fail.because(unresolvable.getMessage());
    }
  }

  private Decision decide(ActionPolicyExecutionState state) {
    Deque<JsonNode> pending = pending(state);
    Optional<ScriptedRule> fitting = Optional.empty();
    while (fitting.isEmpty() && !pending.isEmpty()) {
      JsonNode event = pending.remove();
      fitting = fitting(state, true, event);
      fitting.ifPresent(
          rule -> state.custom().set(EVENT, event.path(rule.when().event().orElseThrow())));
    }
    keep(state, pending);
    return fitting
        .or(() -> fitting(state, false, JsonNodeFactory.instance.missingNode()))
        .map(rule -> follow(rule.then(), state))
        .orElseGet(Decision.Idle::new);
  }

  private Optional<ScriptedRule> fitting(
      ActionPolicyExecutionState state, boolean onEvents, JsonNode event) {
    return script.rules().stream()
        .filter(rule -> rule.onEvents() == onEvents)
        .filter(rule -> rule.when().event().map(event::has).orElse(true))
        .filter(rule -> rule.when().holds(state))
        .findFirst();
  }

  private Decision follow(ScriptedRule.Then then, ActionPolicyExecutionState state) {
    then.set().orElse(Map.of()).forEach(state.custom()::set);
    if (then.act().isPresent()) {
      ScriptedRule.Act act = then.act().get();
      ObjectNode params = act.params().orElseGet(JsonNodeFactory.instance::objectNode);
      return new Decision.Act(Action.of(id(act, state), act.key(), params));
    }
    if (then.complete().isPresent()) {
      return Decision.Complete.with(dispatcher().resolve(then.complete().get()));
    }
    if (then.fail().isPresent()) {
      return Decision.Fail.because(then.fail().get());
    }
    if (then.blocked().isPresent()) {
      return Decision.blocked(then.blocked().get().reason(), then.blocked().get().until());
    }
    return then.idle().orElse(false) ? new Decision.Idle() : new Decision.Skip();
  }

  /** Unique within the run: an action of the same id would be taken for the same action. */
  private static String id(ScriptedRule.Act act, ActionPolicyExecutionState state) {
    String wanted = act.id().orElse("a" + (state.iterationNum() + 1));
    String id = wanted;
    for (int i = 2; state.result(id).isPresent(); i++) {
      id = wanted + "-" + i;
    }
    return id;
  }

  private Deque<JsonNode> pending(ActionPolicyExecutionState state) {
    Deque<JsonNode> pending = new ArrayDeque<>();
    state.custom().path(PENDING).forEach(pending::add);
    pending.addAll(state.received().contexts());
    while (pending.size() > PolicySettings.PENDING_EVENTS) {
      pending.remove();
    }
    return pending;
  }

  private static void keep(ActionPolicyExecutionState state, Deque<JsonNode> pending) {
    state.custom().remove(PENDING);
    if (!pending.isEmpty()) {
      ArrayNode left = state.custom().putArray(PENDING);
      pending.forEach(left::add);
    }
  }
}
