package dev.colony.client.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import java.util.Objects;
import java.util.Optional;

/**
 * Whether a run has ended.
 *
 * @param result what became of it; empty while it is under way
 */
public record RunState(RunId runId, Optional<AgentRun> result) {

  public RunState {
    Objects.requireNonNull(runId, "runId");
  }

  @JsonProperty
  public boolean ended() {
    return result.isPresent();
  }
}
