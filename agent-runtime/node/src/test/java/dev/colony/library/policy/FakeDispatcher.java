package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionDispatcher;
import dev.colony.agent.author.JsonValues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Actions that a test plays. */
public final class FakeDispatcher implements ActionDispatcher {

  public final List<Action> dispatched = new ArrayList<>();
  private final List<ActionGroup> groups;
  private Function<Action, ActionResult> outcome =
      action ->
          ActionResult.succeeded(action.actionId(), JsonValues.toJson("done " + action.actionId()));

  FakeDispatcher(ActionGroup... groups) {
    this.groups = List.of(groups);
  }

  public FakeDispatcher outcome(Function<Action, ActionResult> other) {
    outcome = other;
    return this;
  }

  @Override
  public ActionResult dispatch(Action action) {
    dispatched.add(action);
    return outcome.apply(action);
  }

  @Override
  public JsonNode resolve(JsonNode value) {
    if (value.asText().startsWith("$lost")) {
      throw AgentException.refused(value.asText() + " cannot be resolved: it is lost");
    }
    return value;
  }

  @Override
  public List<ActionGroup> groups() {
    return groups;
  }

  static ActionDescription action(String key, String summary, String parameters) {
    return action(key, summary, parameters, true);
  }

  static ActionDescription action(String key, String summary, String parameters, boolean planned) {
    JsonNode schema = PolicyRun.json(parameters);
    return new ActionDescription(
        key,
        key.substring(0, Math.max(0, key.indexOf('.'))),
        summary,
        Set.of(),
        schema,
        PolicyRun.json("{}"),
        List.of(),
        List.of(),
        planned,
        Effect.INTERNAL,
        true,
        false,
        false,
        Duration.ofSeconds(30));
  }

  /** Two actions of a capability that keeps notes, and one that planners are not shown. */
  public static FakeDispatcher notes() {
    return new FakeDispatcher(
        new ActionGroup(
            "notes",
            "Keeps notes.",
            List.of(
                action(
                    "notes.write",
                    "Stores a note.",
                    """
                    {"type": "object", "required": ["text"], "additionalProperties": false,
                     "properties": {"text": {"type": "string", "description": "what it says"},
                                    "stars": {"type": "integer", "minimum": 1, "maximum": 5}}}
                    """),
                action(
                    "notes.search",
                    "Finds notes that were stored.",
                    """
                    {"type": "object", "required": ["query"], "additionalProperties": false,
                     "properties": {"query": {"type": "string"}}}
                    """),
                action("notes.compact", "For programs only.", "{\"type\": \"object\"}", false))));
  }
}
