package dev.colony.library.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.value.CompiledSchema;
import dev.colony.core.registry.FileProblems.CloseName;
import dev.colony.inference.Tool;
import dev.colony.library.policy.ActionCatalog.ActionNames;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import dev.colony.library.policy.TextBudget.Fitted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The actions that a model may choose, as tools that it calls: one for each action, and {@link
 * #COMPLETE}, {@link #IDLE} and {@link #FAIL}, which end a run or a turn. Where there are many
 * actions they are lines of the system message in place of tools of their own, and are chosen with
 * {@link #TAKE}; where these lines do not fit into the budget, the system message names them by
 * their groups, of which {@link #SHOW} describes those that the model asks for.
 *
 * <p>The same actions always give the same tools, in the same order.
 */
public final class ActionTools {

  /** The goals are reached: {@code result}, and optionally {@code exports} and {@code learned}. */
  public static final String COMPLETE = "complete";

  /** Nothing is to be done until something happens. */
  public static final String IDLE = "idle";

  /** The goals cannot be reached: {@code reason}. */
  public static final String FAIL = "fail";

  /** Takes the action named by {@code action} with {@code parameters}. */
  public static final String TAKE = "take";

  /** Describes the actions of {@code groups}. */
  public static final String SHOW = "show_actions";

  private static final Set<String> OWN = Set.of(COMPLETE, IDLE, FAIL, TAKE, SHOW);
  private static final int SUMMARY_CHARS = 600;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Map<String, ActionDescription> byTool;
  private final List<Tool> tools;
  private final Optional<ActionCatalog> catalog;
  private final boolean grouped;
  private final List<PromptSection> sections;

  private ActionTools(
      Map<String, ActionDescription> byTool,
      List<Tool> tools,
      Optional<ActionCatalog> catalog,
      boolean grouped,
      List<PromptSection> sections) {
    this.byTool = byTool;
    this.tools = List.copyOf(tools);
    this.catalog = catalog;
    this.grouped = grouped;
    this.sections = List.copyOf(sections);
  }

  /**
   * The tools of these actions.
   *
   * @param result JSON schema of what a run gives
   * @param tokens that the actions may take
   * @param manyAbove number of actions above which they are lines in place of tools
   */
  public static ActionTools of(
      List<ActionGroup> groups, JsonNode result, int tokens, int manyAbove) {
    return of(groups, names(groups), result, tokens, manyAbove);
  }

  /**
   * The same, each called by its name.
   *
   * @param names of the agent's actions, made by {@link #names}
   */
  public static ActionTools of(
      List<ActionGroup> groups, ActionNames names, JsonNode result, int tokens, int manyAbove) {
    boolean many = groups.stream().mapToInt(group -> group.actions().size()).sum() > manyAbove;
    return many
        ? lines(groups, names, result, tokens)
        : tools(groups, names, result, tokens)
            .orElseGet(() -> lines(groups, names, result, tokens));
  }

  /**
   * What a model calls actions that are its tools.
   *
   * @param groups all actions of the agent, offered or not
   */
  public static ActionNames names(List<ActionGroup> groups) {
    return ActionNames.tools(groups, OWN);
  }

  /** Empty where they do not fit. */
  private static Optional<ActionTools> tools(
      List<ActionGroup> groups, ActionNames known, JsonNode result, int tokens) {
    Map<String, ActionDescription> byTool = new LinkedHashMap<>();
    List<Tool> tools = new ArrayList<>();
    List<String> headings = new ArrayList<>();
    int room = tokens;
    for (ActionGroup group : groups) {
      List<String> names = new ArrayList<>();
      for (ActionDescription action : group.actions()) {
        String name = known.of(action.key());
        Tool tool = new Tool(name, description(action, known), parameters(action, known));
        room -= TextBudget.count(JsonValues.toJson(tool).toString());
        byTool.put(name, action);
        tools.add(tool);
        names.add(name);
      }
      if (!names.isEmpty() && !group.summary().isBlank()) {
        headings.add(
            "- %s (%s): %s"
                .formatted(
                    group.name(), String.join(", ", names), line(known.in(group.summary()))));
      }
    }
    if (room < 0) {
      return Optional.empty();
    }
    List<Tool> all = withOwn(tools, List.of(), result);
    List<PromptSection> sections = new ArrayList<>();
    sections.add(section(all));
    if (!headings.isEmpty()) {
      Fitted fitted = new TextBudget(tokens).cut("## Your actions\n" + String.join("\n", headings));
      sections.add(
          new PromptSection(
              "actions",
              Part.CONSTANT,
              fitted.text(),
              TextBudget.count(fitted.text()),
              tokens,
              fitted.cut()));
    }
    return Optional.of(new ActionTools(byTool, all, Optional.empty(), false, sections));
  }

  private static ActionTools lines(
      List<ActionGroup> groups, ActionNames known, JsonNode result, int tokens) {
    Map<String, ActionDescription> byTool = new LinkedHashMap<>();
    for (ActionGroup group : groups) {
      group.actions().forEach(action -> byTool.put(known.of(action.key()), action));
    }
    List<ActionGroup> said =
        groups.stream()
            .map(group -> new ActionGroup(group.name(), known.in(group.summary()), group.actions()))
            .toList();
    ActionCatalog catalog =
        ActionCatalog.of(
            said, SHOW, action -> known.of(action.key()), action -> description(action, known));
    boolean grouped = !catalog.fits(tokens);
    List<Tool> choosing = new ArrayList<>();
    choosing.add(take(grouped ? Set.of() : byTool.keySet()));
    if (grouped) {
      choosing.add(show(catalog));
    }
    List<Tool> all = withOwn(List.of(), choosing, result);
    List<PromptSection> sections = new ArrayList<>();
    sections.add(section(all));
    sections.addAll(catalog.section(tokens));
    return new ActionTools(byTool, all, Optional.of(catalog), grouped, sections);
  }

  private static Tool take(Set<String> names) {
    Tool take =
        tool(
            TAKE,
            "Takes one of the actions that the system message lists.",
            """
            {"type": "object", "properties": {
              "action": {"type": "string"},
              "parameters": {"type": "object",
                "description": "of the action; leave them out and you are shown what it takes"}},
             "required": ["action"], "additionalProperties": false}
            """);
    if (!names.isEmpty()) {
      ArrayNode known = take.parameters().withArray("/properties/action/enum");
      names.forEach(known::add);
    }
    return take;
  }

  private static Tool show(ActionCatalog catalog) {
    Tool show =
        tool(
            SHOW,
            "Describes the actions of groups, before you choose.",
            """
            {"type": "object", "properties": {
              "groups": {"type": "array", "minItems": 1, "items": {"type": "string"}}},
             "required": ["groups"], "additionalProperties": false}
            """);
    ArrayNode known = show.parameters().withArray("/properties/groups/items/enum");
    catalog.groups().forEach(known::add);
    return show;
  }

  /** The tools as a section of a prompt, a line each. */
  public static PromptSection section(List<Tool> tools) {
    String text =
        tools.stream()
            .map(tool -> JsonValues.toJson(tool).toString())
            .collect(Collectors.joining("\n"));
    int size = TextBudget.count(text);
    return new PromptSection("tools", Part.TOOLS, text, size, size, false);
  }

  /**
   * A tool that is no action.
   *
   * @param schema of its arguments, as JSON text
   */
  public static Tool tool(String name, String description, String schema) {
    try {
      return new Tool(name, description, JsonValues.parse(schema));
    } catch (JsonProcessingException broken) {
      throw new IllegalStateException("the schema of " + name + " is no JSON: " + schema, broken);
    }
  }

  private static List<Tool> withOwn(List<Tool> actions, List<Tool> more, JsonNode result) {
    Tool complete =
        tool(
            COMPLETE,
            "The goals are reached: ends your work with its result.",
            """
            {"type": "object", "properties": {
              "result": {},
              "exports": {"type": "object",
                "description": "further results for other agents, by name; leave it out for none"},
              "learned": {"type": "array", "maxItems": 10,
                "description": "what is worth remembering beyond this run, a sentence each",
                "items": {"type": "string", "maxLength": 500}}},
             "required": ["result"], "additionalProperties": false}
            """);
    complete
        .parameters()
        .withObject("/properties")
        .set("result", CompiledSchema.below("/properties/result", result.deepCopy()));
    Tool idle =
        tool(
            IDLE,
            "Nothing is to be done until something happens.",
            """
            {"type": "object", "properties": {}, "additionalProperties": false}
            """);
    Tool fail =
        tool(
            FAIL,
            "The goals cannot be reached: ends your work as failed.",
            """
            {"type": "object", "properties": {"reason": {"type": "string", "maxLength": 1000}},
             "required": ["reason"], "additionalProperties": false}
            """);
    return Stream.of(actions, more, List.of(complete, idle, fail)).flatMap(List::stream).toList();
  }

  public List<Tool> tools() {
    return tools;
  }

  /**
   * What of a call of one of the tools that are no actions is wrong, for the model; empty if
   * nothing is. What a result has to be is not looked at.
   */
  public Optional<String> wrong(String name, JsonNode arguments) {
    if (!OWN.contains(name) || !arguments.isObject()) {
      return Optional.empty();
    }
    return tools.stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .map(tool -> {
          ObjectNode schema = tool.parameters().deepCopy();
          if (name.equals(COMPLETE)) {
            schema.withObject("/properties").set("result", JSON.objectNode());
          }
          return schema;
        })
        .flatMap(schema -> ReplyFields.wrong(schema, arguments))
        .map(why -> "`%s`: %s".formatted(name, why));
  }

  /** Whether the actions are chosen with {@link #TAKE}. */
  public boolean many() {
    return catalog.isPresent();
  }

  /** Whether the prompt names the actions only, and {@link #SHOW} describes them. */
  public boolean grouped() {
    return grouped;
  }

  /** The groups that {@link #SHOW} knows. */
  public List<String> groups() {
    return catalog.map(ActionCatalog::groups).orElse(List.of());
  }

  /** The actions of groups for a model that has asked for them, the most relevant first. */
  public String described(Set<String> groups, String sought, int tokens) {
    return catalog.map(all -> all.described(groups, sought, tokens)).orElse("");
  }

  /** Those that may serve what is sought, where the prompt names the actions only. */
  List<PromptSection> serving(String sought, SectionRoom room) {
    return grouped ? catalog.orElseThrow().serving(sought, room) : List.of();
  }

  /** The actions that may be chosen, in their order. */
  public List<ActionDescription> offered() {
    return List.copyOf(byTool.values());
  }

  /**
   * The action that a tool stands for, or that has this key; or the only one whose name differs in
   * nothing but how its parts are joined.
   */
  public Optional<ActionDescription> action(String toolOrKey) {
    return Optional.ofNullable(byTool.get(toolOrKey))
        .or(() -> byTool.values().stream().filter(one -> one.key().equals(toolOrKey)).findFirst())
        .or(() -> {
          List<String> alike = alike(toolOrKey);
          return alike.size() == 1 ? Optional.of(byTool.get(alike.getFirst())) : Optional.empty();
        });
  }

  /** The names that differ from one in nothing but how their parts are joined. */
  public List<String> alike(String name) {
    return byTool.entrySet().stream()
        .filter(one ->
            CloseName.alike(one.getKey(), name) || CloseName.alike(one.getValue().key(), name))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** What the model calls an action, be it offered or not. */
  public String name(String key) {
    return byTool.entrySet().stream()
        .filter(one -> one.getValue().key().equals(key))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(key);
  }

  /** All that may be called by name: the offered actions and the ends. */
  public List<String> names() {
    Set<String> names = new LinkedHashSet<>(byTool.keySet());
    names.addAll(List.of(COMPLETE, IDLE, FAIL));
    return List.copyOf(names);
  }

  List<PromptSection> sections() {
    return sections;
  }

  private static String description(ActionDescription action, ActionNames known) {
    List<String> marks = new ArrayList<>();
    if (!action.reads().isEmpty()) {
      marks.add("reads " + String.join(", ", action.reads().stream().map(n -> "$" + n).toList()));
    }
    if (!action.writes().isEmpty()) {
      marks.add("sets " + String.join(", ", action.writes().stream().map(n -> "$" + n).toList()));
    }
    if (action.effect() == Effect.EXTERNAL) {
      marks.add("reaches the world outside");
    }
    if (action.approval()) {
      marks.add("waits until a person approves it");
    }
    String summary = line(known.in(action.summary()));
    String mark = marks.isEmpty() ? "" : "[" + String.join("; ", marks) + "]";
    return summary.isEmpty() || mark.isEmpty() ? summary + mark : summary + " " + mark;
  }

  private static ObjectNode parameters(ActionDescription action, ActionNames known) {
    if (!action.parameters().isObject()) {
      return JSON.objectNode().put("type", "object");
    }
    ObjectNode schema = action.parameters().deepCopy();
    schema.remove("$schema");
    described(schema, known);
    return schema;
  }

  /** Descriptions may name other actions, too. */
  private static void described(JsonNode schema, ActionNames known) {
    if (schema instanceof ObjectNode object && object.path("description").isTextual()) {
      object.put("description", known.in(object.get("description").textValue()));
    }
    schema.forEach(one -> described(one, known));
  }

  private static String line(String text) {
    return JsonPreview.cut(text.strip(), SUMMARY_CHARS);
  }
}
