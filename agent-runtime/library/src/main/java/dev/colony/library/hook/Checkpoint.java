package dev.colony.library.hook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunId;
import java.util.Map;

/**
 * Where an agent stood at the end of an iteration.
 *
 * @param iteration of the run, counted from 0
 * @param custom the policy's own entries of the run
 * @param capabilities the snapshots of the capabilities that have one, by key
 */
public record Checkpoint(
    String name, RunId run, int iteration, JsonNode custom, Map<String, JsonNode> capabilities) {

  public Checkpoint {
    capabilities = Map.copyOf(capabilities);
  }
}
