package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.PolicySettings;
import dev.colony.inference.Tool;
import dev.colony.library.policy.ActionCatalog;
import dev.colony.library.policy.ActionTools;
import dev.colony.library.policy.JsonPreview;
import dev.colony.library.policy.PlanningFormat;
import dev.colony.library.policy.PromptSection;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import dev.colony.library.policy.SchemaWords;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a model that plans can call, and the actions that its plans may be made of. The tools are
 * the same for every question, so that prompts begin alike; which of them answer a question, the
 * question says.
 */
final class PlanTools {

  static final String PLAN = "plan";
  static final String GO_ON = "go_on";
  static final String ESCALATE = "escalate";
  static final String COMPLETE = "complete";
  static final String IDLE = "idle";
  static final String FAIL = "fail";
  static final String SHOW = "show_actions";

  private static final String CHILDREN = "agent_spawn";

  /** Of the summary of an action. */
  private static final int SUMMARY_CHARS = 600;

  private static final String ACTION =
      """
      {"type": "object", "properties": {
        "name": {"type": "string", "maxLength": 64, "description": "short, A-Z a-z 0-9 _ -"},
        "action": {"type": "string", "description": "the key of one of your actions"},
        "parameters": {"type": "object", "description": "of that action"},
        "goal": {"type": "string", "maxLength": 2000, "description":
          "in place of an action: what is planned in detail when its turn comes"},
        "input": {"description": "what that part starts from"},
        "delegate": {"type": "string", "description":
          "the kind of an agent that is to reach the goal in your place"},
        "expects": {"type": "object", "properties": {
          "words": {"type": "string", "maxLength": 500, "description": "what you expect to come"},
          "equal": {"type": "object", "description":
            "values in the output by their paths, that are checked: {\\"count\\": 3}"},
          "schema": {"type": "object", "description": "JSON schema of the output"}},
          "additionalProperties": false},
        "pages": {"type": "array", "items": {"type": "string"}, "description":
          "ids of the pages that it reads"},
        "cost": {"type": "integer", "description": "what you think it costs, in tokens"},
        "undo": {"type": "object", "description": "the action that takes it back", "properties": {
          "action": {"type": "string"}, "parameters": {"type": "object"}},
          "required": ["action"], "additionalProperties": false},
        "after": {"type": "array", "items": {"type": "string"}, "description":
          "names of actions that must be done before; those in its references need not be named"},
        "aggregates": {"type": "boolean", "description":
          "true for one that sums up all others"}},
        "required": ["name"], "additionalProperties": false}\
      """;

  private static final String SCHEMA =
      """
      {"type": "object", "properties": {
        "mode": {"enum": ["revise", "add", "backtrack", "start_anew"], "description":
          "of a revision: other actions for those not done yet; more besides them; take back what \
      was done since back_to and go on with these; a new plan for everything"},
        "back_to": {"type": "string", "description":
          "of backtrack: the name of the first action that is taken back"},
        "keep": {"type": "array", "items": {"type": "string"}, "description":
          "of revise: names of actions not done yet that stay"},
        "actions": {"type": "array", "items": %s},
        "variables": {"type": "object", "description": "values by name, for references"},
        "assumptions": {"type": "array", "items": {"type": "string"}, "description":
          "keys of the blackboard, a star for any text, whose change makes the plan doubtful"},
        "result": {"description":
          "what it comes to once all is done, with references; leave it out to see the results first"},
        "alternatives": {"type": "array", "description":
          "others that would do as well; the one that reads cached pages is taken", "items":
          {"type": "object", "properties": {"actions": {"type": "array", "items": %s}, "result": {}},
           "required": ["actions"], "additionalProperties": false}}},
       "required": ["actions"], "additionalProperties": false}\
      """;

  private static final String NOTHING =
      "{\"type\": \"object\", \"properties\": {}, \"additionalProperties\": false}";

  private static final Tool PLANS =
      ActionTools.tool(
          PLAN,
          "Plans actions.",
          SCHEMA.formatted(ACTION, undescribed(ActionTools.tool(PLAN, "", ACTION).parameters())));

  private final List<ActionGroup> groups;
  private final List<Tool> tools;

  /** As the system message has the actions. */
  private final ActionCatalog named;

  /** The actions with all that they take. */
  private final ActionCatalog whole;

  private PlanTools(List<ActionGroup> groups, List<Tool> tools, boolean many) {
    this.groups = groups;
    this.tools = tools;
    this.whole =
        ActionCatalog.of(groups, SHOW, ActionDescription::key, action -> described(action, true));
    this.named =
        many
            ? ActionCatalog.of(
                groups, SHOW, ActionDescription::key, action -> described(action, false))
            : whole;
  }

  static PlanTools of(List<ActionGroup> groups, boolean many) {
    List<Tool> tools = new ArrayList<>();
    tools.add(PLANS);
    tools.add(ActionTools.tool(GO_ON, "Goes on as planned; what failed is done without.", NOTHING));
    tools.add(
        ActionTools.tool(
            ESCALATE,
            "Asks your supervisor, and waits for the answer.",
            """
            {"type": "object", "properties": {"question": {"type": "string", "maxLength": 1000}},
             "required": ["question"], "additionalProperties": false}
            """));
    tools.add(
        ActionTools.tool(
            COMPLETE,
            "The goal is reached: ends your work, or the part asked about, with its result.",
            """
            {"type": "object", "properties": {"result": {},
              "exports": {"type": "object", "description":
                "further results for other agents, by name"},
              "learned": {"type": "array", "maxItems": 10,
                "items": {"type": "string", "maxLength": 500}, "description":
                "what is worth remembering, a sentence each"}},
             "required": ["result"], "additionalProperties": false}
            """));
    tools.add(ActionTools.tool(IDLE, "Nothing is to be done until something happens.", NOTHING));
    tools.add(
        ActionTools.tool(
            FAIL,
            "The goal cannot be reached: ends your work, or the part asked about, as failed.",
            """
            {"type": "object", "properties": {"reason": {"type": "string", "maxLength": 1000}},
             "required": ["reason"], "additionalProperties": false}
            """));
    if (many) {
      tools.add(
          ActionTools.tool(
              SHOW,
              "Shows what the actions of groups take, before you plan.",
              """
              {"type": "object", "properties": {"groups": {"type": "array",
                "items": {"type": "string"}}}, "required": ["groups"], "additionalProperties": false}
              """));
    }
    return new PlanTools(List.copyOf(groups), List.copyOf(tools), many);
  }

  List<Tool> tools() {
    return tools;
  }

  JsonNode schema(String name) {
    return tools.stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow()
        .parameters();
  }

  List<String> names() {
    return tools.stream().map(Tool::name).toList();
  }

  /** All actions that plans may be made of. */
  List<ActionDescription> actions() {
    return groups.stream().flatMap(group -> group.actions().stream()).toList();
  }

  /** Whether children can be spawned for parts of a plan. */
  boolean delegates() {
    return actions().stream().anyMatch(one -> one.key().equals(CHILDREN));
  }

  /**
   * The tools and the actions as sections of a prompt, and where not all actions fit, those that
   * may serve what is sought.
   */
  List<PromptSection> sections(PolicySettings settings, String sought) {
    int tokens = settings.prompt().actions();
    List<PromptSection> sections = new ArrayList<>();
    sections.add(ActionTools.section(tools));
    sections.addAll(named.section(tokens));
    if (!named.fits(tokens)) {
      String name = PlanningFormat.SERVING;
      sections.addAll(
          named.serving(
              sought,
              new SectionRoom(
                  name, Part.CHANGING, settings.prompt().of(name), PolicySettings.PREVIEW_CHARS)));
    }
    return sections;
  }

  /** Whether there are too many actions to show what all of them take. */
  static boolean many(List<ActionGroup> groups, PolicySettings policy) {
    int actions = groups.stream().mapToInt(group -> group.actions().size()).sum();
    return actions > policy.policy().twoPhaseAbove()
        || !of(groups, false).named.fits(policy.prompt().actions());
  }

  /** The actions of groups with all that they take, the most relevant first. */
  String shown(Set<String> wanted, String sought, int tokens) {
    return whole.described(wanted, sought, tokens);
  }

  Set<String> groupNames() {
    return groups.stream().map(ActionGroup::name).collect(Collectors.toSet());
  }

  private static String described(ActionDescription action, boolean whole) {
    List<String> marks = new ArrayList<>();
    if (action.effect() == Effect.EXTERNAL) {
      marks.add("reaches the world outside");
    }
    if (action.approval()) {
      marks.add("waits until a person approves it");
    }
    String mark = marks.isEmpty() ? "" : " [" + String.join("; ", marks) + "]";
    String takes = whole ? SchemaWords.parameters(action.parameters()) : "";
    return line(action.summary()) + mark + (takes.isEmpty() ? "" : " Takes " + takes);
  }

  /** What every question says of the way plans are made. */
  static String rules(PlanRules rules) {
    String horizon =
        switch (rules.horizon()) {
          case MPC ->
              "Plan the next few actions, at most %d: you are asked again when they are done."
                  .formatted(rules.ahead());
          case TOP_DOWN ->
              "Plan parts first, as actions with a goal, at most %d; each is planned in detail"
                      .formatted(rules.ahead())
                  + " before anything is carried out.";
          case BOTTOM_UP ->
              "Plan one action for each page or part, at most %d, and one that aggregates them."
                  .formatted(rules.ahead());
        };
    return """
    ## How you work
    You are an agent that plans. You reply by calling one tool, and say in a sentence or two \
    why. You call no action yourself: you put actions into a plan, which is carried out for \
    you, those that do not wait for each other side by side. You are asked again when \
    something is not as you expected.
    %s
    Wherever a value stands you may give a reference in its place, a text of its own: \
    "$results.NAME" or "$results.NAME.path" is what the action of that name gave, "$NAME" or \
    "$NAME.path" a variable, "$children.NAME.KEY" what the agent that an action of that name \
    was handed to has exported, "$global.CAPABILITY.path" what a capability lets be read, \
    "$shared.KEY" an entry of your part of the blackboard. A text that begins with $ and is no \
    reference is written with $$.
    Say what the plan comes to in `result` wherever you can: then you are not asked again when \
    all is done as expected.\
    """
        .formatted(horizon);
  }

  /** A schema that stands in a request for the second time need not say again what is what. */
  private static JsonNode undescribed(JsonNode schema) {
    if (schema instanceof ObjectNode object) {
      object.remove("description");
    }
    schema.forEach(PlanTools::undescribed);
    return schema;
  }

  private static String line(String text) {
    return JsonPreview.cut(text.strip(), SUMMARY_CHARS);
  }
}
