package dev.colony.agent.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import java.util.Optional;

/**
 * Whether a run has ended.
 *
 * @param run what became of it; empty while it is under way
 */
public record RunState(RunId runId, Optional<AgentRun> run) {

  /** As it is sent; {@link #fromJson} reads it back. */
  public ObjectNode toJson() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("runId", runId.value())
            .put("ended", run.isPresent());
    run.ifPresent(ended -> json.set("run", ended.toJson()));
    return json;
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws dev.colony.agent.AgentException if it is no such answer
   */
  public static RunState fromJson(JsonNode answer) {
    return WireJson.answer(
        "state of a run",
        answer,
        json ->
            new RunState(
                new RunId(json.path("runId").asText()),
                json.hasNonNull("run")
                    ? Optional.of(AgentRun.fromJson(json.get("run")))
                    : Optional.empty()));
  }
}
