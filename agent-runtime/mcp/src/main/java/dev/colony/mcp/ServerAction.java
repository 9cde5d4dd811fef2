package dev.colony.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.value.Text;
import io.modelcontextprotocol.spec.McpSchema.Prompt;
import io.modelcontextprotocol.spec.McpSchema.PromptArgument;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one action of an agent is on the server.
 *
 * @param description as the planner sees it
 * @param target what executing it asks the server for
 */
record ServerAction(ActionDescription description, Target target) {

  /** What is asked for. */
  sealed interface Target {

    record CallTool(String name) implements Target {}

    record GetPrompt(String name) implements Target {}

    record ReadResource() implements Target {}

    record ListResources() implements Target {}
  }

  private static final Logger LOG = LoggerFactory.getLogger(ServerAction.class);

  static final String READ = "read_resource";
  static final String LIST = "list_resources";
  static final String PROMPT = "prompt_";

  private static final int MAX_NAME = 64;
  private static final int MAX_SUMMARY = 1_000;
  private static final Pattern UNFIT = Pattern.compile("[^A-Za-z0-9_-]");
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /**
   * The actions that a server comes to, by their keys, in the order in which it lists them.
   *
   * @param capability offers them
   * @param prefix stands before their names
   * @param allowed the names, without prefix, that the agent gets
   * @param leftOut is told of each that cannot be offered, in one line
   */
  static Map<String, ServerAction> of(
      McpConnection.Listed listed,
      String capability,
      String prefix,
      McpSettings.Server spec,
      Allowed allowed,
      Consumer<String> leftOut) {
    Actions actions = new Actions(capability, prefix, spec, allowed, leftOut);
    listed.tools().forEach(tool -> actions.tool(tool, listed.withTasks().contains(tool.name())));
    if (listed.resources()) {
      actions.add(
          LIST,
          "Lists the resources of the server, and templates of further ones.",
          object(Map.of("cursor", "from an earlier answer, for more of them"), Set.of()),
          JSON.objectNode(),
          Hints.READ_ONLY,
          new Target.ListResources());
      actions.add(
          READ,
          "Reads a resource of the server.",
          object(Map.of("uri", "of the resource, or made of a template"), Set.of("uri")),
          JSON.objectNode(),
          Hints.READ_ONLY,
          new Target.ReadResource());
    }
    listed.prompts().forEach(actions::prompt);
    return actions.byKey;
  }

  /** The patterns of an allow-list; a star stands for any text. */
  record Allowed(List<String> patterns) {

    boolean allows(String name) {
      return patterns.isEmpty()
          || patterns.stream().anyMatch(pattern -> new KeyGlob(pattern).matches(name));
    }
  }

  /** What is believed of what the server says a tool does. */
  private record Hints(boolean readOnly, boolean idempotent, boolean destructive) {

    static final Hints NONE = new Hints(false, false, true);
    static final Hints READ_ONLY = new Hints(true, true, false);

    static Hints of(Tool tool, boolean trusted) {
      ToolAnnotations said = tool.annotations();
      if (said == null || !trusted) {
        return NONE;
      }
      boolean readOnly = Boolean.TRUE.equals(said.readOnlyHint());
      return new Hints(
          readOnly,
          readOnly || Boolean.TRUE.equals(said.idempotentHint()),
          !readOnly && !Boolean.FALSE.equals(said.destructiveHint()));
    }
  }

  private static final class Actions {

    private final String capability;
    private final String prefix;
    private final McpSettings.Server spec;
    private final Allowed allowed;
    private final Consumer<String> leftOut;
    private final Map<String, ServerAction> byKey = new LinkedHashMap<>();

    Actions(
        String capability,
        String prefix,
        McpSettings.Server spec,
        Allowed allowed,
        Consumer<String> leftOut) {
      this.capability = capability;
      this.prefix = prefix;
      this.spec = spec;
      this.allowed = allowed;
      this.leftOut = leftOut;
    }

    /**
     * @param asTask whether it is called in no other way than as a task
     */
    void tool(Tool tool, boolean asTask) {
      if (asTask) {
        if (allowed.allows(fit(tool.name()))) {
          leftOut.accept(tool.name() + ": it has to be called as a task, which is not supported");
        }
        return;
      }
      String title = tool.title() == null ? "" : tool.title();
      add(
          tool.name(),
          tool.description() == null ? title : tool.description(),
          ProtocolJson.tree(tool.inputSchema() == null ? Map.of() : tool.inputSchema()),
          output(tool),
          Hints.of(tool, spec.trustHints()),
          new Target.CallTool(tool.name()));
    }

    /** What results have; what is no schema says nothing of them. */
    private static JsonNode output(Tool tool) {
      if (tool.outputSchema() != null) {
        try {
          return schema(ProtocolJson.tree(tool.outputSchema()));
        } catch (IllegalArgumentException unfit) {
          LOG.debug("the output schema of {} is not used: {}", tool.name(), unfit.getMessage());
        }
      }
      return JSON.objectNode();
    }

    void prompt(Prompt prompt) {
      Map<String, String> all = new LinkedHashMap<>();
      Set<String> required = new LinkedHashSet<>();
      for (PromptArgument one :
          prompt.arguments() == null ? List.<PromptArgument>of() : prompt.arguments()) {
        all.put(one.name(), one.description() == null ? "" : one.description());
        if (Boolean.TRUE.equals(one.required())) {
          required.add(one.name());
        }
      }
      String description = prompt.description() == null ? prompt.name() : prompt.description();
      add(
          PROMPT + prompt.name(),
          "Gives a prompt of the server: " + description,
          object(all, required),
          JSON.objectNode(),
          Hints.READ_ONLY,
          new Target.GetPrompt(prompt.name()));
    }

    void add(
        String name,
        String summary,
        JsonNode parameters,
        JsonNode output,
        Hints hints,
        Target target) {
      String fit = fit(name);
      if (!allowed.allows(fit)) {
        return;
      }
      try {
        parameters = schema(parameters);
      } catch (IllegalArgumentException unfit) {
        leftOut.accept(name + ": " + unfit.getMessage());
        return;
      }
      boolean approval =
          switch (spec.approval()) {
            case NEVER -> false;
            case DESTRUCTIVE -> hints.destructive();
            case ALWAYS -> !(target instanceof Target.ListResources);
          };
      String key = unique(prefix + "." + fit);
      byKey.put(
          key,
          new ServerAction(
              new ActionDescription(
                  key,
                  capability,
                  Text.line(summary, MAX_SUMMARY),
                  Set.of("mcp"),
                  parameters,
                  output,
                  List.of(),
                  List.of(),
                  true,
                  hints.readOnly() ? Effect.INTERNAL : Effect.EXTERNAL,
                  hints.idempotent(),
                  false,
                  approval,
                  spec.timeout()),
              target));
    }

    private String unique(String key) {
      String free = key;
      for (int next = 2; byKey.containsKey(free); next++) {
        free = key + "_" + next;
      }
      return free;
    }
  }

  /** A name with what no action's name has replaced. */
  static String fit(String name) {
    return Text.head(UNFIT.matcher(name).replaceAll("_"), MAX_NAME);
  }

  /**
   * The schema as the server has it, read as the draft that is understood here.
   *
   * @throws IllegalArgumentException if it is none
   */
  private static JsonNode schema(JsonNode given) {
    if (!(given.deepCopy() instanceof ObjectNode schema)) {
      throw new IllegalArgumentException("its parameters have no schema");
    }
    schema.remove("$schema");
    if (!schema.has("type")) {
      schema.put("type", "object");
    }
    if (!schema.path("type").asText().equals("object")) {
      throw new IllegalArgumentException("its parameters are no object");
    }
    JsonSchemaCheck.of(schema);
    return schema;
  }

  private static ObjectNode object(Map<String, String> texts, Set<String> required) {
    ObjectNode schema = JSON.objectNode().put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    texts.forEach((name, meaning) -> {
      ObjectNode one = properties.putObject(name).put("type", "string");
      if (!meaning.isBlank()) {
        one.put("description", meaning);
      }
    });
    required.forEach(schema.withArray("required")::add);
    return schema;
  }
}
