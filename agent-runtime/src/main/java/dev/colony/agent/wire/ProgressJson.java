package dev.colony.agent.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunProgress;
import java.time.Instant;
import java.util.Optional;

/** Something that a run made known, or its end; whose data is the run. */
public final class ProgressJson {

  private ProgressJson() {}

  /** As it is sent and shown; {@link #read} reads it back. */
  public static ObjectNode write(RunProgress event) {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("runId", event.runId().value())
            .put("at", event.at().toString())
            .put("name", event.name())
            .put("end", event.end().isPresent())
            .put("token", event.token());
    json.set("data", event.data());
    return json;
  }

  /**
   * Reads {@link #write} back.
   *
   * @throws dev.colony.agent.AgentException if it is no such event
   */
  public static RunProgress read(JsonNode event) {
    return WireJson.answer("event of a run", event, ProgressJson::progress);
  }

  private static RunProgress progress(JsonNode json) {
    Optional<AgentRun> end =
        json.path("end").asBoolean()
            ? Optional.of(AgentRun.fromJson(json.path("data")))
            : Optional.empty();
    return new RunProgress(
        new RunId(json.path("runId").asText()),
        json.path("name").asText(),
        // Numbers have the types that they have in the cluster.
        end.<JsonNode>map(AgentRun::toJson).orElseGet(() -> json.path("data")),
        Instant.parse(json.path("at").asText()),
        json.path("token").asText(),
        end);
  }
}
