package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.WellFormed;
import dev.colony.replica.lexical.Tools.Call;
import dev.colony.replica.lexical.Tools.Choice;
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

  private static final double LEAST_MATCH = 0.1;
  private static final double SAME_VERB = 0.3;
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final PlannerPrompt prompt;
  private final JsonNode schema;

  private LexicalPlanner(PlannerPrompt prompt, JsonNode schema) {
    this.prompt = prompt;
    this.schema = schema;
  }

  /** The reply to a prompt that asks for a decision or for parameters; empty for any other. */
  static Optional<JsonNode> reply(LexicalPrompt prompt, JsonNode schema) {
    return PlannerPrompt.of(prompt)
        .flatMap(asked -> {
          LexicalPlanner planner = new LexicalPlanner(asked, schema);
          return asked.chosen().isPresent()
              ? Optional.of(planner.parameters(asked.chosen().get()))
              : planner.decision();
        });
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

  private ObjectNode parameters(String action) {
    List<Served> served = served();
    String goal = next(served, Optional.of(action)).map(Served::goal).orElse(allGoals());
    return fill(schema, goal);
  }

  private Optional<JsonNode> decision() {
    JsonNode alternatives = schema.at("/properties/decision/anyOf");
    if (!alternatives.isArray()) {
      return Optional.empty();
    }
    List<Served> served = served();
    Optional<Served> next = next(served, Optional.empty());
    String action = next.map(Served::action).orElse(prompt.goals().isEmpty() ? "idle" : "complete");
    for (JsonNode alternative : alternatives) {
      JsonNode name = alternative.at("/properties/action");
      if (allows(name, action)) {
        ObjectNode reply = NODES.objectNode();
        reply.put("reasoning", reasoning(next, action));
        reply.set("decision", decide(alternative, action, next));
        return Optional.of(reply);
      }
    }
    return Optional.empty();
  }

  private ObjectNode decide(JsonNode alternative, String action, Optional<Served> next) {
    ObjectNode decision = NODES.objectNode().put("action", action);
    JsonNode properties = alternative.path("properties");
    if (properties.has("parameters")) {
      decision.set(
          "parameters", fill(properties.get("parameters"), next.map(Served::goal).orElse("")));
    }
    if (properties.has("result")) {
      List<String> texts = prompt.results().isEmpty() ? prompt.goals() : prompt.results();
      Extract extract = new Extract(QueryTerms.of(String.join(" ", prompt.goals())), texts);
      decision.set("result", new SchemaFiller(schema, extract).value("", properties.get("result")));
    }
    return decision;
  }

  private static String reasoning(Optional<Served> next, String action) {
    String text =
        next.map(one -> one.action() + " shares most words with: " + one.goal())
            .orElse("Nothing is left to be done: " + action + ".");
    return WellFormed.head(text, 200);
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
      } else if (required.contains(one.getKey())) {
        filled.set(one.getKey(), filler.value(one.getKey(), one.getValue()));
      }
    }
    return filled;
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
  private static double match(Extract extract, String goal, String action, String line) {
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

  private static boolean allows(JsonNode name, String action) {
    if (name.path("const").asText().equals(action)) {
      return true;
    }
    for (JsonNode member : name.path("enum")) {
      if (member.asText().equals(action)) {
        return true;
      }
    }
    return false;
  }
}
