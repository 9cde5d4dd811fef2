package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A run that has ended.
 *
 * @param output what the policy completed with; JSON null for a failed run
 * @param error why it failed, one line; present for a failed run only
 */
public record AgentRun(
    RunId runId, Status status, JsonNode output, Optional<String> error, RunStats stats) {

  /** How a run ends. */
  public enum Status {
    COMPLETED,
    FAILED
  }

  public static AgentRun completed(RunId runId, JsonNode output, RunStats stats) {
    return new AgentRun(runId, Status.COMPLETED, output, Optional.empty(), stats);
  }

  public static AgentRun failed(RunId runId, String error, RunStats stats) {
    return new AgentRun(
        runId, Status.FAILED, JsonNodeFactory.instance.nullNode(), Optional.of(error), stats);
  }

  /** The run as it stands on the blackboard; {@link #fromJson} reads it back. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("runId", runId.value());
    json.put("status", status.name());
    json.set("output", output);
    error.ifPresent(message -> json.put("error", message));
    json.set("stats", stats.toJson());
    return json;
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws IllegalArgumentException if it is not a run
   */
  public static AgentRun fromJson(JsonNode json) {
    return new AgentRun(
        new RunId(json.path("runId").asText()),
        Status.valueOf(json.path("status").asText()),
        json.hasNonNull("output") ? json.path("output") : JsonNodeFactory.instance.nullNode(),
        json.hasNonNull("error") ? Optional.of(json.path("error").asText()) : Optional.empty(),
        RunStats.fromJson(json.path("stats")));
  }
}
