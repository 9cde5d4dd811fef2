package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.lexical.Tools.Call;
import dev.colony.replica.lexical.Tools.Choice;
import dev.colony.replica.lexical.Tools.Tool;
import dev.colony.vcm.words.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plays the planner of an agent by its words: each goal is served by the action whose line shares
 * most words with it, the goals one after the other, each once. When all are served it is complete;
 * an agent without goals and without experience is idle. It never gives up, and it learns nothing
 * from failures.
 */
final class LexicalPlanner {

  /** A goal and the action that serves it. */
  private record Served(String goal, String action) {}

  static final double LEAST_MATCH = 0.1;
  private static final double SAME_VERB = 0.3;
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final PlannerPrompt prompt;
  private final JsonNode schema;

  private LexicalPlanner(PlannerPrompt prompt, JsonNode schema) {
    this.prompt = prompt;
    this.schema = schema;
  }

  /**
   * The tool call that serves the first goal that none has served: the goals of a planner's prompt,
   * or the points of the request, or all of it. Empty where none has to be called and none shares
   * words with what is left.
   */
  static Optional<Call> call(LexicalPrompt prompt, Tools tools) {
    if (tools.offered().isEmpty() || tools.choice() instanceof Choice.None) {
      return Optional.empty();
    }
    if (tools.coding()) {
      return Optional.of(CellComposer.call(prompt));
    }
    if (tools.planning() && tools.named(Tools.PLAN).isPresent()) {
      return Optional.of(PlanComposer.call(prompt, tools));
    }
    if (tools.planning()) {
      return Optional.of(
          new LexicalPlanner(PlannerPrompt.planning(prompt, tools.actions()), NODES.objectNode())
              .planned(tools));
    }
    LexicalPlanner planner =
        new LexicalPlanner(PlannerPrompt.of(prompt, tools), NODES.objectNode());
    List<Served> served = planner.served();
    Optional<Served> chosen =
        switch (tools.choice()) {
          case Choice.None none -> Optional.empty();
          case Choice.Auto auto -> planner.next(served, Optional.empty());
          case Choice.Required required ->
              planner.next(served, Optional.empty()).or(() -> Optional.of(planner.nearest()));
          case Choice.Named named ->
              planner
                  .next(served, Optional.of(named.tool()))
                  .or(() -> Optional.of(new Served(planner.allGoals(), named.tool())));
        };
    return chosen.map(one -> {
      JsonNode parameters = tools.named(one.action()).orElseThrow().parameters();
      ObjectNode arguments =
          new LexicalPlanner(planner.prompt, parameters).fill(parameters, one.goal());
      return new Call(one.action(), arguments);
    });
  }

  /** All goals, and the action that shares most words with any of them, be they none. */
  private Served nearest() {
    String nearest = "";
    double bestMatch = -1;
    for (String goal : prompt.goals()) {
      Extract extract = new Extract(QueryTerms.of(goal), List.of());
      for (Map.Entry<String, String> action : prompt.actions().entrySet()) {
        double match = match(extract, goal, action.getKey(), action.getValue());
        if (match > bestMatch) {
          nearest = action.getKey();
          bestMatch = match;
        }
      }
    }
    return new Served(allGoals(), nearest);
  }

  private String allGoals() {
    return String.join(" ", prompt.goals());
  }

  /** What an agent does next: the action for a goal, or the end where all goals are served. */
  private Call planned(Tools tools) {
    Optional<String> chosen = prompt.chosen();
    Optional<Served> next = next(served(), chosen);
    if (chosen.isPresent()) {
      return taken(chosen.get(), next.map(Served::goal).orElse(allGoals()));
    }
    if (next.isPresent()) {
      Optional<Tool> tool = tools.named(next.get().action());
      return tool.isPresent()
          ? new Call(
              tool.get().name(),
              new LexicalPlanner(prompt, tool.get().parameters())
                  .fill(tool.get().parameters(), next.get().goal()))
          : new Call(Tools.TAKE, NODES.objectNode().put("action", next.get().action()));
    }
    if (prompt.goals().isEmpty()) {
      return new Call(Tools.IDLE, NODES.objectNode());
    }
    JsonNode parameters = tools.named(Tools.COMPLETE).orElseThrow().parameters();
    List<String> texts = prompt.results().isEmpty() ? prompt.goals() : prompt.results();
    Extract extract = new Extract(QueryTerms.of(allGoals()), texts);
    ObjectNode arguments = NODES.objectNode();
    JsonNode result = parameters.at("/properties/result");
    arguments.set(
        "result",
        prompt
            .resultWith(result.path("required").valueStream().map(JsonNode::asText).toList())
            .<JsonNode>map(NODES::textNode)
            .orElseGet(() -> new SchemaFiller(parameters, extract).value("", result)));
    return new Call(Tools.COMPLETE, arguments);
  }

  private Call taken(String action, String goal) {
    JsonNode parameters = prompt.chosenParameters();
    ObjectNode arguments = NODES.objectNode().put("action", action);
    arguments.set("parameters", new LexicalPlanner(prompt, parameters).fill(parameters, goal));
    return new Call(Tools.TAKE, arguments);
  }

  /** Parameters that must be there, and others that are given by name. */
  private ObjectNode fill(JsonNode parameters, String goal) {
    SchemaFiller filler =
        new SchemaFiller(schema, new Extract(QueryTerms.of(goal), prompt.texts(goal)));
    List<String> required = new ArrayList<>();
    parameters.path("required").forEach(name -> required.add(name.asText()));
    ObjectNode filled = NODES.objectNode();
    for (Map.Entry<String, JsonNode> one : parameters.path("properties").properties()) {
      Optional<String> given = prompt.given(one.getKey(), goal);
      if (given.isPresent()) {
        Extract said = new Extract(QueryTerms.of(given.get()), List.of(given.get()));
        filled.set(
            one.getKey(), new SchemaFiller(schema, said).value(one.getKey(), one.getValue()));
      } else if (required.contains(one.getKey())
          && structured(one.getValue())
          && prompt.lastSucceeded().isPresent()) {
        filled.put(one.getKey(), "$results." + prompt.lastSucceeded().get());
      } else if (required.contains(one.getKey())) {
        filled.set(one.getKey(), filler.value(one.getKey(), one.getValue()));
      }
    }
    if (filled.isEmpty() && prompt.quotes(goal)) {
      // What a goal quotes is what it is about, also where the action could do without it.
      parameters.path("properties").properties().stream()
          .filter(one -> text(one.getValue()))
          .findFirst()
          .ifPresent(one -> filled.set(one.getKey(), filler.value(one.getKey(), one.getValue())));
    }
    return filled;
  }

  /** Any text, which may be null. */
  private static boolean text(JsonNode schema) {
    JsonNode type = schema.path("type");
    return !schema.has("enum")
        && !schema.has("format")
        && (type.asText("").equals("string")
            || type.valueStream().anyMatch(one -> one.asText().equals("string")));
  }

  /** What no sentence can be: an object, or a list of objects. */
  private static boolean structured(JsonNode schema) {
    JsonNode items = schema.path("items");
    return schema.path("type").asText("").equals("object")
        || schema.has("properties")
        || schema.has("$ref")
        || items.path("type").asText("").equals("object")
        || items.has("properties")
        || items.has("$ref");
  }

  /** Each goal with its action; goals that no action shares words with are left out. */
  private List<Served> served() {
    List<Served> served = new ArrayList<>();
    Map<String, String> actions = prompt.actions();
    for (String goal : prompt.goals()) {
      Extract extract = new Extract(QueryTerms.of(goal), List.of());
      String best = "";
      double bestMatch = LEAST_MATCH;
      for (Map.Entry<String, String> action : actions.entrySet()) {
        double match = match(extract, goal, action.getKey(), action.getValue());
        if (match > bestMatch) {
          best = action.getKey();
          bestMatch = match;
        }
      }
      if (!best.isEmpty()) {
        served.add(new Served(goal, best));
      }
    }
    return served;
  }

  /** Goals and summaries begin with a verb, which alone tells some actions apart. */
  static double match(Extract extract, String goal, String action, String line) {
    List<String> wanted = Words.stems(goal);
    List<String> named = Words.stems(action);
    List<String> summary = Words.stems(line.substring(action.length() + 2));
    boolean verb =
        !wanted.isEmpty()
            && (named.contains(wanted.getFirst())
                || !summary.isEmpty() && summary.getFirst().equals(wanted.getFirst()));
    return extract.match(line) + (verb ? SAME_VERB : 0);
  }

  /** The first goal whose action was not taken for it. */
  private Optional<Served> next(List<Served> served, Optional<String> only) {
    Map<String, Integer> needed = new HashMap<>();
    for (Served one : served) {
      int times = needed.merge(one.action(), 1, Integer::sum);
      if (times > prompt.taken(one.action()) && only.map(one.action()::equals).orElse(true)) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }
}
