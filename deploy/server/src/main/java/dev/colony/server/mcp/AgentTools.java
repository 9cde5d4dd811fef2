package dev.colony.server.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.client.wire.WireJson;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.AgentsReader;
import dev.colony.server.Principal.Role;
import dev.colony.server.ShownAgent;
import dev.colony.server.ShownAgent.AgentFilter;
import dev.colony.server.mcp.McpServer.McpCaller;
import io.modelcontextprotocol.spec.McpSchema.ListToolsResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tools of a colony: {@link ColonyTool}s, and each agent that no other has spawned as a tool of
 * its own, {@code ask_NAME}. Its methods block.
 */
record AgentTools(AgentsReader agents) {

  /** Agents of a colony that are tools of their own; the others are asked by run_agent. */
  private static final int AGENT_TOOLS = 64;

  private static final String PREFIX = "ask_";

  /** What clients take as the name of a tool; agents of other names are asked by run_agent. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,60}");

  /** Characters of a role that is told in a description; a longer one is left out. */
  private static final int LONGEST_ROLE = 1_000;

  /**
   * A page of the tools that the caller's role may use.
   *
   * @param cursor of the page before; empty for the first
   * @throws IllegalArgumentException if it is no cursor of ours
   */
  ListToolsResult list(McpCaller caller, Optional<String> cursor) {
    Optional<Place> place = cursor.map(Place::parse);
    List<Tool> tools = new ArrayList<>();
    if (place.isEmpty()) {
      Arrays.stream(ColonyTool.values())
          .filter(one -> caller.principal().role().covers(one.least()))
          .map(ColonyTool::described)
          .forEach(tools::add);
    }
    int told = place.map(Place::told).orElse(0);
    int most = Math.min(McpServer.PAGE, AGENT_TOOLS - told);
    if (!caller.principal().role().covers(Role.OPERATOR) || most <= 0) {
      return new ListToolsResult(tools, null, null);
    }
    AgentsReader.Page<ShownAgent> page =
        agents.list(
            Optional.of(caller.tenant()),
            Optional.of(caller.colony()),
            AgentFilter.ALL,
            new AgentsReader.PageSize(most, most),
            place.map(one -> caller.agent(one.after())),
            Function.identity());
    List<Tool> own =
        page.found().stream().filter(AgentTools::offered).map(AgentTools::described).toList();
    tools.addAll(own);
    return new ListToolsResult(
        tools,
        page.next()
            .filter(last -> told + own.size() < AGENT_TOOLS)
            .map(last -> new Place(told + own.size(), last.name()).text())
            .orElse(null),
        null);
  }

  /** The agent for which a tool stands, if it is one of those. */
  static Optional<AgentId> agent(McpCaller caller, String tool) {
    return Optional.of(tool)
        .filter(name -> name.startsWith(PREFIX))
        .map(name -> name.substring(PREFIX.length()))
        .filter(name -> NAME.matcher(name).matches())
        .map(caller::agent);
  }

  /**
   * What an agent's runs are given, as its blueprint declares it; nothing declared where that says
   * nothing.
   */
  static ActionPolicyIO io(ShownAgent agent) {
    JsonNode declared = agent.listed().entry().blueprint().policy().args().path("io");
    try {
      return declared.isObject()
          ? WireJson.read(declared, ActionPolicyIO.class)
          : ActionPolicyIO.ANYTHING;
    } catch (IllegalArgumentException other) {
      // A policy of another kind, which means something else by that name.
      return ActionPolicyIO.ANYTHING;
    }
  }

  private static boolean offered(ShownAgent agent) {
    return agent.listed().entry().lineage().isEmpty()
        && agent.state() != AgentState.STOPPED
        && NAME.matcher(agent.id().name()).matches();
  }

  private static Tool described(ShownAgent agent) {
    var policy = agent.listed().entry().blueprint().policy();
    String role = policy.args().path("role").asText();
    return Tool.builder(PREFIX + agent.id().name(), ProtocolJson.map(input(io(agent))))
        .description(
            "Asks the agent %s (%s) to run, and waits for its result.%s"
                .formatted(
                    agent.id().name(),
                    policy.type(),
                    role.isEmpty() || role.length() > LONGEST_ROLE ? "" : " Its role: " + role))
        .annotations(new ToolAnnotations(null, false, null, false, true, null))
        .build();
  }

  private static ObjectNode input(ActionPolicyIO io) {
    ObjectNode properties = ProtocolJson.object();
    if (io.inputs().isEmpty()) {
      properties
          .putObject("input")
          .put("type", "string")
          .put("description", "The goal of the run.");
      return ColonyTool.schema(properties, "input");
    }
    io.inputs().forEach((name, field) -> properties.set(name, ActionPolicyIO.below(name, field)));
    ObjectNode schema =
        ColonyTool.schema(
            properties,
            io.inputs().entrySet().stream()
                .filter(one -> one.getValue().required())
                .map(one -> one.getKey())
                .toArray(String[]::new));
    // Fields that are not declared are let through by the agent, too.
    schema.remove("additionalProperties");
    return schema;
  }

  /** Where a list goes on: behind an agent, with so many told before. */
  private record Place(int told, String after) {

    private static final Pattern TEXT = Pattern.compile("(\\d{1,9}):([A-Za-z0-9._~-]{1,128})");

    static Place parse(String cursor) {
      var parts = TEXT.matcher(cursor);
      if (!parts.matches()) {
        throw new IllegalArgumentException("the cursor is none that this server has given");
      }
      return new Place(Integer.parseInt(parts.group(1)), parts.group(2));
    }

    String text() {
      return told + ":" + after;
    }
  }

  /** What is wrong with a tool's arguments, in one line; empty if nothing is. */
  static Optional<String> wrong(ObjectNode schema, JsonNode arguments) {
    List<String> lines = JsonSchemaCheck.of(schema).violations(arguments);
    return lines.isEmpty()
        ? Optional.empty()
        : Optional.of(lines.stream().collect(Collectors.joining("; ")));
  }

  enum ColonyTool {
    LIST_AGENTS(
        Role.VIEWER,
        "Lists the colony's agents with their states, a page at a time.",
        """
        {"prefix": {"type": "string", "description": "What names begin with."},
         "state": {"type": "string", "description": "Only agents in this state, as in RUNNING."},
         "after": {"type": "string", "description": "Where the page before ended: its next."}}
        """),
    AGENT_STATUS(
        Role.VIEWER,
        "Tells how an agent stands: its state and why, its open runs, what it asks a person for,"
            + " what it can do, and its last steps.",
        """
        {"agent": {"type": "string", "description": "The agent's name."}}
        """,
        "agent"),
    EXPLORE(
        Role.VIEWER,
        "Finds the places of a mapped source tree that speak to a question, best first:"
            + " path:first-last, the declared symbol and a sentence each. Ask it before you search"
            + " files yourself.",
        """
        {"question": {"type": "string", "minLength": 1, "maxLength": 4000,
                      "description": "In plain words or the code's own."},
         "map": {"type": "string", "description": "The id of a page map; the one mapped last if left out."},
         "limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "How many places; 10 if left out."}}
        """,
        "question"),
    RUN_AGENT(
        Role.OPERATOR,
        "Asks an agent to run, and waits for its result. A run that takes longer goes on;"
            + " run_status tells of it.",
        """
        {"agent": {"type": "string", "description": "The agent's name."},
         "input": {"anyOf": [{"type": "string"}, {"type": "object"}],
                   "description": "The goal of the run as text; or goals, constraints and the fields that the agent declares."},
         "namespace": {"type": "string", "description": "Where the run's entries stand; mcp if left out."},
         "wait_seconds": {"type": "integer", "minimum": 0, "description": "How long to wait for the result; 0 only asks."}}
        """,
        "agent",
        "input"),
    RUN_STATUS(
        Role.VIEWER,
        "Tells whether a run has ended, and its result.",
        """
        {"agent": {"type": "string", "description": "The agent's name."},
         "run": {"type": "string", "description": "The run's id."}}
        """,
        "agent",
        "run"),
    CANCEL_RUN(
        Role.OPERATOR,
        "Ends a run as cancelled.",
        """
        {"agent": {"type": "string", "description": "The agent's name."},
         "run": {"type": "string", "description": "The run's id."},
         "reason": {"type": "string", "description": "For people."}}
        """,
        "agent",
        "run"),
    SIGNAL_AGENT(
        Role.OPERATOR,
        "Tells an agent that something has happened that it waits for under this name.",
        """
        {"agent": {"type": "string", "description": "The agent's name."},
         "signal": {"type": "string", "description": "The name that it waits for."},
         "reason": {"type": "string", "description": "For people."}}
        """,
        "agent",
        "signal"),
    ANSWER_REQUEST(
        Role.OPERATOR,
        "Says yes or no to something that an agent asks a person for; agent_status lists what it"
            + " asks.",
        """
        {"agent": {"type": "string", "description": "The agent's name."},
         "request": {"type": "string", "description": "What it asks, by its name."},
         "granted": {"type": "boolean", "description": "Yes or no."},
         "note": {"type": "string", "description": "For the run."}}
        """,
        "agent",
        "request",
        "granted");

    private final Role least;
    private final String description;
    private final ObjectNode schema;

    ColonyTool(Role least, String description, String properties, String... required) {
      this.least = least;
      this.description = description;
      try {
        this.schema = schema(JsonMapper.builder().build().readTree(properties), required);
      } catch (JsonProcessingException malformed) {
        throw new IllegalStateException(malformed);
      }
    }

    /** The schema of an object that has these properties and no others. */
    static ObjectNode schema(JsonNode properties, String... required) {
      ObjectNode schema = ProtocolJson.object().put("type", "object");
      schema.set("properties", properties);
      Arrays.stream(required).forEach(schema.putArray("required")::add);
      return schema.put("additionalProperties", false);
    }

    static Optional<ColonyTool> named(String name) {
      return Arrays.stream(values()).filter(one -> one.word().equals(name)).findFirst();
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    Role least() {
      return least;
    }

    ObjectNode schema() {
      return schema;
    }

    Tool described() {
      boolean reads = least == Role.VIEWER;
      return Tool.builder(word(), ProtocolJson.map(schema))
          .description(description)
          .annotations(
              new ToolAnnotations(null, reads, this == CANCEL_RUN, reads, this == RUN_AGENT, null))
          .build();
    }
  }
}
