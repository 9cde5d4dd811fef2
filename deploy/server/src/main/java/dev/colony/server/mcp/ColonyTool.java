package dev.colony.server.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.access.Role;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The tools that every colony has. */
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
      "Tells how an agent stands: its state and why, its open runs, what it asks a person for, what"
          + " it can do, and its last steps.",
      """
      {"agent": {"type": "string", "description": "The agent's name."}}
      """,
      "agent"),
  RUN_AGENT(
      Role.OPERATOR,
      "Asks an agent to run, and waits for its result. A run that takes longer goes on; run_status"
          + " tells of it.",
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
