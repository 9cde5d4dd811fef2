package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A run that has ended.
 *
 * @param output what the policy ended with; JSON null where it was not the policy that ended it
 * @param error why it did not complete, one line; present where it did not, and only there
 * @param sessionId of the session in which it ended; empty outside any
 * @param exported results for other agents, by name
 * @param learned patterns discovered on the way, a line each
 * @param refused whether its agent never accepted it, so that nothing was done; its idempotency key
 *     may be used again, for the same input
 * @param partial why the output may be less than was asked for, one line: the bound that the run
 *     has reached or come near to; only of a run that has completed
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record AgentRun(
    RunId runId,
    Status status,
    @JsonInclude JsonNode output,
    Optional<String> error,
    RunStats stats,
    Optional<SessionId> sessionId,
    Map<String, JsonNode> exported,
    List<String> learned,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean refused,
    Optional<String> partial) {

  /** How a run ends. */
  public enum Status {
    COMPLETED,
    /** It could not go on, reached a bound, or fell short of its goals. */
    FAILED,
    /** A caller cancelled it, or an operator stopped its agent. */
    CANCELLED
  }

  public AgentRun {
    Objects.requireNonNull(runId, "runId");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(stats, "stats");
    output = output == null ? JsonNodeFactory.instance.nullNode() : output;
    error = error == null ? Optional.empty() : error;
    sessionId = sessionId == null ? Optional.empty() : sessionId;
    exported = exported == null ? Map.of() : Map.copyOf(exported);
    learned = learned == null ? List.of() : List.copyOf(learned);
    partial = partial == null ? Optional.empty() : partial;
    if (partial.isPresent() && status != Status.COMPLETED) {
      throw new IllegalArgumentException("a run that is " + status + " has no partial answer");
    }
    if (refused && status != Status.FAILED) {
      throw new IllegalArgumentException("a run that was never accepted is not " + status);
    }
    if (error.isPresent() == (status == Status.COMPLETED)) {
      throw new IllegalArgumentException("a run that is " + status + " has the error " + error);
    }
  }

  /** One that no bound has cut short. */
  public AgentRun(
      RunId runId,
      Status status,
      JsonNode output,
      Optional<String> error,
      RunStats stats,
      Optional<SessionId> sessionId,
      Map<String, JsonNode> exported,
      List<String> learned,
      boolean refused) {
    this(
        runId,
        status,
        output,
        error,
        stats,
        sessionId,
        exported,
        learned,
        refused,
        Optional.empty());
  }

  public static AgentRun completed(RunId runId, JsonNode output, RunStats stats) {
    return ended(runId, Status.COMPLETED, output, Optional.empty(), stats);
  }

  public static AgentRun failed(RunId runId, String error, RunStats stats) {
    return ended(runId, Status.FAILED, null, Optional.of(error), stats);
  }

  /** One that failed because its agent never accepted it. */
  public static AgentRun neverAccepted(RunId runId, String error) {
    return new AgentRun(
        runId,
        Status.FAILED,
        null,
        Optional.of(error),
        RunStats.NONE,
        Optional.empty(),
        Map.of(),
        List.of(),
        true);
  }

  public static AgentRun cancelled(RunId runId, String reason, RunStats stats) {
    return ended(runId, Status.CANCELLED, null, Optional.of(reason), stats);
  }

  private static AgentRun ended(
      RunId runId, Status status, JsonNode output, Optional<String> error, RunStats stats) {
    return new AgentRun(
        runId, status, output, error, stats, Optional.empty(), Map.of(), List.of(), false);
  }

  /** The same run in a session, or outside any. */
  public AgentRun session(Optional<SessionId> id) {
    return new AgentRun(
        runId, status, output, error, stats, id, exported, learned, refused, partial);
  }

  /** The same run, of which this bound has made a partial one. */
  public AgentRun partial(String why) {
    return new AgentRun(
        runId,
        status,
        output,
        error,
        stats,
        sessionId,
        exported,
        learned,
        refused,
        Optional.of(why));
  }

  /** The run as it stands on the blackboard; {@link #fromJson} reads it back. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("runId", runId.value());
    json.put("status", status.name());
    json.set("output", output);
    error.ifPresent(message -> json.put("error", message));
    json.set("stats", stats.toJson());
    sessionId.ifPresent(id -> json.put("sessionId", id.value()));
    if (!exported.isEmpty()) {
      ObjectNode results = json.putObject("exported");
      exported.forEach(results::set);
    }
    if (!learned.isEmpty()) {
      learned.forEach(json.putArray("learned")::add);
    }
    if (refused) {
      json.put("refused", true);
    }
    partial.ifPresent(why -> json.put("partial", why));
    return json;
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws IllegalArgumentException if it is not a run
   */
  public static AgentRun fromJson(JsonNode json) {
    Map<String, JsonNode> exported = new HashMap<>();
    json.path("exported").properties().forEach(one -> exported.put(one.getKey(), one.getValue()));
    List<String> learned = new ArrayList<>();
    json.path("learned").forEach(pattern -> learned.add(pattern.asText()));
    return new AgentRun(
        new RunId(json.path("runId").asText()),
        Status.valueOf(json.path("status").asText()),
        json.get("output"),
        text(json, "error"),
        RunStats.fromJson(json.path("stats")),
        text(json, "sessionId").map(SessionId::new),
        exported,
        learned,
        json.path("refused").asBoolean(false),
        text(json, "partial"));
  }

  private static Optional<String> text(JsonNode json, String name) {
    return json.hasNonNull(name) ? Optional.of(json.get(name).asText()) : Optional.empty();
  }
}
