package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.testkit.Expectation;
import dev.colony.testkit.TestAgent;
import java.util.List;
import java.util.Map;

/** Plans as scripted models reply them, and a capability that carries them out. */
final class PlanScript {

  /** A capability whose actions do what their names say. */
  @Registered(value = "test.desk", summary = "Papers on a desk.")
  public static final class Desk extends AgentCapability {

    public Desk(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(key = "desk.write", summary = "Writes a paper.")
    Map<String, Object> write(@Param("what it says") String text) {
      return Map.of("text", text, "length", text.length());
    }

    @ActionExecutor(key = "desk.join", summary = "Joins two papers.")
    String join(@Param("the first") String left, @Param("the second") String right) {
      return left + right;
    }

    @ActionExecutor(key = "desk.burn", summary = "Burns a paper.")
    String burn(@Param("which") String paper) {
      throw new IllegalStateException(paper + " does not burn");
    }

    @ActionExecutor(key = "desk.remove", summary = "Takes a paper away.")
    String remove(@Param("which") String paper) {
      return "removed " + paper;
    }

    @EventHandler(pattern = "inbox:*", contextKey = "letter")
    Map<String, String> letter(EventBatch.Event event) {
      return Map.of("says", event.value().orElseThrow().asText());
    }

    @ActionExecutor(key = "desk.sign", summary = "Signs a paper.", approval = true)
    String sign(@Param("which") String paper) {
      return "signed " + paper;
    }
  }

  static final TypeProvider TYPES = types -> types.add(Desk.class);

  static AgentBlueprint clerk(PlanArgs args) {
    return AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, args))
        .capability(CapabilityBlueprint.of(Blueprint.of("test.desk")));
  }

  /** A capability that may spawn agents of one kind, whose types need not be installed here. */
  static Blueprint children(String kind, AgentBlueprint blueprint) {
    ObjectNode json = object().put("type", "agent.children");
    json.putObject("args").putObject("kinds").set(kind, blueprint.toJson());
    return Blueprint.fromJson(json);
  }

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** An action of a plan; further fields by their names and values in turn. */
  static ObjectNode action(String name, String key, Map<String, ?> params, Object... more) {
    ObjectNode action = object().put("name", name).put("action", key);
    ObjectNode parameters = action.putObject("parameters");
    params.forEach((field, value) -> parameters.put(field, value.toString()));
    for (int i = 0; i < more.length; i += 2) {
      action.set(more[i].toString(), (JsonNode) more[i + 1]);
    }
    return action;
  }

  static ObjectNode write(String name, String text, Object... more) {
    return action(name, "desk.write", Map.of("text", text), more);
  }

  static ObjectNode part(String name, String goal, String... after) {
    ObjectNode part = object().put("name", name).put("goal", goal);
    List.of(after).forEach(part.withArray("after")::add);
    return part;
  }

  static JsonNode undo(String paper) {
    ObjectNode undo = object().put("action", "desk.remove");
    undo.putObject("parameters").put("paper", paper);
    return undo;
  }

  static JsonNode list(String... texts) {
    var list = JsonNodeFactory.instance.arrayNode();
    List.of(texts).forEach(list::add);
    return list;
  }

  static ObjectNode plan(ObjectNode... actions) {
    ObjectNode plan = object();
    List.of(actions).forEach(plan.putArray("actions")::add);
    return plan;
  }

  static void plans(Expectation expected, ObjectNode plan) {
    expected.calls("plan", plan);
  }

  static List<String> done(TestAgent agent) {
    return agent.steps().actions().stream().map(ActionView::actionId).toList();
  }

  /** What a person has to approve before an action is executed. */
  static String request(TestAgent agent, String actionId) {
    return agent.steps().actions().stream()
        .filter(one -> one.actionId().equals(actionId))
        .flatMap(one -> one.until().stream())
        .map(ResumptionCondition.Approved.class::cast)
        .map(ResumptionCondition.Approved::request)
        .findFirst()
        .orElseThrow();
  }

  private PlanScript() {}
}
