package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.lexical.LexicalModel.LexicalPrompt;
import dev.colony.replica.lexical.LexicalModel.Tools;
import dev.colony.replica.lexical.LexicalModel.Tools.Call;
import dev.colony.replica.lexical.LexicalModel.Tools.Choice;
import dev.colony.replica.lexical.LexicalModel.Tools.Tool;
import dev.colony.replica.lexical.QueryTerms.Extract;
import dev.colony.vcm.mapping.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Chooses tools by the words of a request: each of its points, or all of it where it has none, is
 * served by the tool that shares most words with it, one after the other, each once. It plans
 * nothing: of an agent's planner it says that this needs a model.
 */
final class ToolChooser {

  static final String NO_PLANNER =
      "planning needs a model, and the embedded replica only quotes what it is shown: give the node"
          + " a model server by --model-url";

  private static final double LEAST_MATCH = 0.1;
  private static final double SAME_VERB = 0.3;
  private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"");
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** A point and the tool that serves it. */
  private record Served(String goal, Tool tool) {}

  private final Tools tools;
  private final List<String> goals;

  private ToolChooser(LexicalPrompt prompt, Tools tools) {
    this.tools = tools;
    List<String> points =
        prompt
            .request()
            .lines()
            .filter(line -> line.startsWith("- "))
            .map(line -> line.substring(2).strip())
            .toList();
    this.goals = points.isEmpty() ? List.of(oneLine(prompt.question())) : points;
  }

  /** The call; empty where none has to be made and no tool shares words with what is left. */
  static Optional<Call> call(LexicalPrompt prompt, Tools tools) {
    if (tools.offered().isEmpty() || tools.choice() instanceof Choice.None) {
      return Optional.empty();
    }
    if (tools.planning()) {
      return Optional.of(new Call(Tools.FAIL, NODES.objectNode().put("reason", NO_PLANNER)));
    }
    ToolChooser chooser = new ToolChooser(prompt, tools);
    return chooser.chosen().map(one -> new Call(one.tool().name(), fill(one)));
  }

  private Optional<Served> chosen() {
    String all = String.join(" ", goals);
    return switch (tools.choice()) {
      case Choice.None none -> Optional.empty();
      case Choice.Auto auto -> next(Optional.empty());
      case Choice.Required required ->
          next(Optional.empty())
              .or(() ->
                  goals.stream()
                      .flatMap(goal -> best(goal, -1).stream())
                      .findFirst()
                      .map(one -> new Served(all, one.tool())));
      case Choice.Named named ->
          next(Optional.of(named.tool()))
              .or(() -> tools.named(named.tool()).map(tool -> new Served(all, tool)));
    };
  }

  /** The first point whose tool was not called for it. */
  private Optional<Served> next(Optional<String> only) {
    Map<String, Integer> needed = new HashMap<>();
    for (String goal : goals) {
      Optional<Served> served = best(goal, LEAST_MATCH);
      if (served.isPresent()) {
        String name = served.get().tool().name();
        int times = needed.merge(name, 1, Integer::sum);
        long called = tools.taken().stream().filter(one -> one.call().name().equals(name)).count();
        if (times > called && only.map(name::equals).orElse(true)) {
          return served;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Served> best(String goal, double least) {
    Extract extract = new Extract(QueryTerms.of(goal), List.of());
    Optional<Served> best = Optional.empty();
    double bestMatch = least;
    for (Tool tool : tools.offered()) {
      double match = match(extract, goal, tool);
      if (match > bestMatch) {
        best = Optional.of(new Served(goal, tool));
        bestMatch = match;
      }
    }
    return best;
  }

  /** Points and summaries begin with a verb, which alone tells some tools apart. */
  private static double match(Extract extract, String goal, Tool tool) {
    String summary = summary(tool);
    List<String> wanted = Words.stems(goal);
    List<String> said = Words.stems(summary);
    boolean verb =
        !wanted.isEmpty()
            && (Words.stems(tool.name()).contains(wanted.getFirst())
                || !said.isEmpty() && said.getFirst().equals(wanted.getFirst()));
    return extract.match(tool.name() + " " + summary) + (verb ? SAME_VERB : 0);
  }

  private static String summary(Tool tool) {
    StringBuilder summary = new StringBuilder(oneLine(tool.description()));
    for (Map.Entry<String, JsonNode> one : tool.parameters().path("properties").properties()) {
      summary.append("; ").append(one.getKey()).append(": ");
      summary.append(oneLine(one.getValue().path("description").asText("")));
    }
    return summary.toString();
  }

  /** Parameters that must be there, and others that the point gives by name. */
  private static ObjectNode fill(Served served) {
    String goal = served.goal();
    JsonNode schema = served.tool().parameters();
    List<String> quoted = QUOTED.matcher(goal).results().map(match -> match.group(1)).toList();
    Extract extract = new Extract(QueryTerms.of(goal), quoted.isEmpty() ? List.of(goal) : quoted);
    SchemaFiller filler = new SchemaFiller(schema, extract);
    List<String> required = new ArrayList<>();
    schema.path("required").forEach(name -> required.add(name.asText()));
    ObjectNode filled = NODES.objectNode();
    for (Map.Entry<String, JsonNode> one : schema.path("properties").properties()) {
      String name = one.getKey();
      Optional<String> given = given(name, goal);
      if (given.isPresent()) {
        Extract said = new Extract(QueryTerms.of(given.get()), List.of(given.get()));
        filled.set(name, new SchemaFiller(schema, said).value(name, one.getValue()));
      } else if (required.contains(name)) {
        filled.set(name, filler.value(name, one.getValue()));
      }
    }
    if (filled.isEmpty() && !quoted.isEmpty()) {
      // What a point quotes is what it is about, also where the tool could do without it.
      schema.path("properties").properties().stream()
          .filter(one -> text(one.getValue()))
          .findFirst()
          .ifPresent(one -> filled.set(one.getKey(), filler.value(one.getKey(), one.getValue())));
    }
    return filled;
  }

  /** What a point says as {@code name: value}. */
  private static Optional<String> given(String name, String goal) {
    Matcher said =
        Pattern.compile("\\b" + Pattern.quote(name) + "\\s*[:=]\\s*(?:\"([^\"]+)\"|([^\\s,;]+))")
            .matcher(goal);
    return said.find()
        ? Optional.of(said.group(1) == null ? said.group(2) : said.group(1))
        : Optional.empty();
  }

  /** Any text, which may be null. */
  private static boolean text(JsonNode schema) {
    JsonNode type = schema.path("type");
    return !schema.has("enum")
        && !schema.has("format")
        && (type.asText("").equals("string")
            || type.valueStream().anyMatch(one -> one.asText().equals("string")));
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }
}
