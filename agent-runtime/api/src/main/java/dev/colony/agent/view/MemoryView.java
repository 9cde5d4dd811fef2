package dev.colony.agent.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.stream.StreamEntry;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What an agent keeps from step to step and from run to run.
 *
 * @param streams the entries of each consciousness stream, the oldest first
 * @param capabilities what the capabilities keep, by their keys
 * @param disabled the capabilities that the policy has put away
 * @param entries the policy's own of the agent, beyond any run, by their names; callers do not
 *     change them
 */
public record MemoryView(
    Map<String, List<StreamEntry>> streams,
    Map<String, JsonNode> capabilities,
    Set<String> disabled,
    ObjectNode entries) {

  public MemoryView {
    Objects.requireNonNull(entries, "entries");
    streams = Map.copyOf(streams);
    capabilities = Map.copyOf(capabilities);
    disabled = Set.copyOf(disabled);
  }
}
