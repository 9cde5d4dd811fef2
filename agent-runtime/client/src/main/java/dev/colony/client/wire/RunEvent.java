package dev.colony.client.wire;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunProgress;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Something that a run made known, or its end.
 *
 * @param name of what happened; of the end, how it ended
 * @param end whether it is the end
 * @param token names this place in the run's events
 * @param data of the end, the run
 */
public record RunEvent(
    RunId runId, Instant at, String name, boolean end, String token, JsonNode data) {

  public RunEvent {
    Objects.requireNonNull(runId, "runId");
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(token, "token");
  }

  public static RunEvent of(RunProgress progress) {
    return new RunEvent(
        progress.runId(),
        progress.at(),
        progress.name(),
        progress.end().isPresent(),
        progress.token(),
        progress.data());
  }

  /**
   * Reads what a caller sees of it.
   *
   * @throws dev.colony.agent.AgentException if it is none, or an end whose data is no run
   */
  public static RunProgress read(JsonNode event) {
    return WireJson.answer(
        "event of a run", event, json -> WireJson.read(json, RunEvent.class).progress());
  }

  private RunProgress progress() {
    Optional<AgentRun> ended = end ? Optional.of(AgentRun.fromJson(data)) : Optional.empty();
    // Numbers have the types that they have in the cluster.
    JsonNode same = ended.<JsonNode>map(AgentRun::toJson).orElse(data);
    return new RunProgress(runId, name, same, at, token, ended);
  }
}
