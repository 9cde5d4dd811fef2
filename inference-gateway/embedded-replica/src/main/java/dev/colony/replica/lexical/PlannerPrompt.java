package dev.colony.replica.lexical;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.replica.lexical.Tools.Taken;
import dev.colony.replica.lexical.Tools.Tool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request that asks what an agent does next, taken apart at its {@code ## } headings: the goals,
 * the actions that may be taken, each named in backquotes on a line of its own, and the actions
 * that were taken. What stands under headings of other names is what the agent has experienced.
 *
 * @param sections lines by heading, bullets and blank lines left out
 */
record PlannerPrompt(Map<String, List<String>> sections) {

  static final String GOALS = "Goals";
  static final String CONSTRAINTS = "Constraints";
  static final String INPUT = "Input";
  static final String ACTIONS = "Your actions";
  static final String SHOWN = "The actions that you asked for";
  static final String HISTORY = "Actions so far";
  private static final String CHOSEN = "Chosen action";
  private static final Set<String> NO_EXPERIENCE =
      Set.of(
          "Your role",
          "How you work",
          GOALS,
          CONSTRAINTS,
          INPUT,
          "Running by themselves, not to be called",
          ACTIONS,
          HISTORY,
          "What went wrong in the previous iteration",
          CHOSEN,
          "What people have said",
          "What you may still use",
          "Memory",
          "Variables",
          "Your plan",
          "Functions",
          "Further variables",
          SHOWN,
          "Your answer");

  private static final String PARAMETERS = "Its parameters: ";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Pattern NAMED = Pattern.compile("^`([^`]+)`");
  private static final Pattern TAKEN = Pattern.compile("^[^`]*: `([^`]+)` ");
  private static final Pattern IDENTIFIED = Pattern.compile("^([\\w.~-]+): `");
  private static final Pattern SUCCEEDED = Pattern.compile(" -> succeeded: (.*)$");
  private static final Pattern SPEAKER = Pattern.compile("^\\*\\*[^*]{1,40}\\*\\*: ");
  private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"");

  /**
   * A planner's prompt, which stands in several messages: those that begin with a heading. Its
   * actions are the tools, or where there are many, the lines under their heading.
   */
  static PlannerPrompt planning(LexicalPrompt prompt, Tools actions) {
    Map<String, List<String>> sections = sections(text(prompt));
    if (actions.named(Tools.TAKE).isEmpty()) {
      sections.put(ACTIONS, actions.offered().stream().map(PlannerPrompt::line).toList());
    }
    return new PlannerPrompt(sections);
  }

  /** The same where the actions are none of the tools: as the prompt describes them. */
  static PlannerPrompt asWritten(LexicalPrompt prompt) {
    return new PlannerPrompt(sections(text(prompt)));
  }

  /** The messages that begin with a heading, and the request. */
  static String text(LexicalPrompt prompt) {
    List<String> messages = new ArrayList<>(prompt.context());
    messages.removeIf(message -> !message.startsWith("## "));
    messages.add(prompt.request());
    return String.join("\n", messages);
  }

  /**
   * The request as such a prompt with tools for its actions. Where it names no goals, these are its
   * points, or else the whole of what it asks.
   */
  static PlannerPrompt of(LexicalPrompt prompt, Tools tools) {
    Map<String, List<String>> sections = sections(prompt.request());
    if (!sections.containsKey(GOALS)) {
      List<String> points =
          prompt
              .request()
              .lines()
              .filter(line -> line.startsWith("- "))
              .map(line -> line.substring(2).strip())
              .toList();
      String question = prompt.question().replaceAll("\\s+", " ").strip();
      sections.clear();
      sections.put(GOALS, points.isEmpty() ? List.of(question) : points);
    }
    sections.put(ACTIONS, tools.offered().stream().map(PlannerPrompt::line).toList());
    List<String> history = new ArrayList<>(sections.getOrDefault(HISTORY, List.of()));
    for (Taken taken : tools.taken()) {
      String result = taken.result().replaceAll("\\s+", " ").strip();
      history.add(
          "tool: `%s` %s -> succeeded: %s"
              .formatted(taken.call().name(), taken.call().arguments(), result));
    }
    sections.put(HISTORY, history);
    return new PlannerPrompt(sections);
  }

  private static String line(Tool tool) {
    StringBuilder line = new StringBuilder("`").append(tool.name()).append("` ");
    line.append(tool.description().replaceAll("\\s+", " ").strip());
    for (Map.Entry<String, JsonNode> one : tool.parameters().path("properties").properties()) {
      line.append("; ").append(one.getKey()).append(": ");
      line.append(one.getValue().path("description").asText("").replaceAll("\\s+", " "));
    }
    return line.toString();
  }

  private static Map<String, List<String>> sections(String text) {
    Map<String, List<String>> sections = new LinkedHashMap<>();
    List<String> lines = new ArrayList<>();
    for (String line : text.split("\n")) {
      if (line.startsWith("## ")) {
        lines = sections.computeIfAbsent(line.substring(3).strip(), heading -> new ArrayList<>());
      } else if (!line.isBlank()) {
        lines.add(line.startsWith("- ") ? line.substring(2).strip() : line.strip());
      }
    }
    return sections;
  }

  /** What is to be reached; where nothing is named, the last thing experienced. */
  List<String> goals() {
    List<String> goals = lines(GOALS);
    List<String> experience = experience();
    return goals.isEmpty() && !experience.isEmpty() ? List.of(experience.getLast()) : goals;
  }

  /** The line that describes each action, by its name, in their order. */
  Map<String, String> actions() {
    Map<String, String> actions = new LinkedHashMap<>();
    for (String line : lines(ACTIONS)) {
      Matcher named = NAMED.matcher(line);
      if (named.find()) {
        actions.put(named.group(1), line);
      }
    }
    return actions;
  }

  /** The action whose parameters are asked for. */
  Optional<String> chosen() {
    return lines(CHOSEN).stream()
        .map(NAMED::matcher)
        .filter(Matcher::find)
        .map(named -> named.group(1))
        .findFirst();
  }

  /** The schema of its parameters; that of anything where it is not shown. */
  JsonNode chosenParameters() {
    return lines(CHOSEN).stream()
        .filter(line -> line.startsWith(PARAMETERS))
        .findFirst()
        .map(line -> json(line.substring(PARAMETERS.length())))
        .orElseGet(JsonNodeFactory.instance::objectNode);
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException cut) {
      return JsonNodeFactory.instance.objectNode();
    }
  }

  /** How often an action was taken, with whatever result. */
  long taken(String action) {
    return lines(HISTORY).stream()
        .map(TAKEN::matcher)
        .filter(taken -> taken.find() && taken.group(1).equals(action))
        .count();
  }

  /** What the actions that succeeded gave, the last one first. */
  List<String> results() {
    return lines(HISTORY).reversed().stream()
        .map(SUCCEEDED::matcher)
        .filter(Matcher::find)
        .map(succeeded -> succeeded.group(1))
        .filter(result -> !result.isBlank())
        .toList();
  }

  /** The id of the last action that succeeded. */
  Optional<String> lastSucceeded() {
    return lines(HISTORY).reversed().stream()
        .filter(line -> SUCCEEDED.matcher(line).find())
        .map(IDENTIFIED::matcher)
        .filter(Matcher::find)
        .map(id -> id.group(1))
        .findFirst();
  }

  /** A reference to what that action gave, if it is an object with these fields. */
  Optional<String> resultWith(List<String> fields) {
    return results().stream()
        .findFirst()
        .map(GoalValues::parsed)
        .filter(result -> !fields.isEmpty() && fields.stream().allMatch(result::has))
        .flatMap(result -> lastSucceeded())
        .map("$results."::concat);
  }

  /** What was given under a name, in the input or in a goal that says {@code name: value}. */
  Optional<String> given(String name, String goal) {
    Pattern inGoal =
        Pattern.compile("\\b" + Pattern.quote(name) + "\\s*[:=]\\s*(?:\"([^\"]+)\"|([^\\s,;]+))");
    Matcher said = inGoal.matcher(goal);
    if (said.find()) {
      return Optional.of(said.group(1) == null ? said.group(2) : said.group(1));
    }
    return lines(INPUT).stream()
        .filter(line -> line.startsWith(name + ": "))
        .map(line -> line.substring(name.length() + 2))
        .findFirst();
  }

  /** Whether a goal says in quotes what it is about. */
  boolean quotes(String goal) {
    return QUOTED.matcher(goal).find();
  }

  /** The texts for an action that serves a goal: what it quotes, what was experienced, itself. */
  List<String> texts(String goal) {
    List<String> quoted = QUOTED.matcher(goal).results().map(match -> match.group(1)).toList();
    if (!quoted.isEmpty()) {
      return quoted;
    }
    List<String> experience = experience();
    return List.of(experience.isEmpty() ? goal : experience.getLast());
  }

  private List<String> experience() {
    return sections.entrySet().stream()
        .filter(section -> !NO_EXPERIENCE.contains(section.getKey()))
        .flatMap(section -> section.getValue().stream())
        .map(line -> SPEAKER.matcher(line).replaceFirst(""))
        .toList();
  }

  /** The lines under a heading; none where it does not stand. */
  List<String> lines(String heading) {
    return sections.getOrDefault(heading, List.of());
  }
}
