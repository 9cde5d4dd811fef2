package dev.colony.client.directory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.client.Children.OnParentStop;
import java.util.Objects;
import java.util.Optional;

/**
 * Where an agent that was spawned by another stands in the tree of agents. One that was detached
 * keeps its root and its depth, so that an agent cannot outgrow the tree's bounds by ending itself.
 *
 * @param parent empty once the agent was detached
 * @param root the ancestor that no agent spawned
 * @param depth 1 for a child of the root
 */
public record Lineage(
    Optional<AgentId> parent, AgentId root, int depth, OnParentStop onParentStop) {

  public Lineage {
    Objects.requireNonNull(parent, "parent");
    Objects.requireNonNull(root, "root");
    Objects.requireNonNull(onParentStop, "onParentStop");
  }

  Lineage detached() {
    return new Lineage(Optional.empty(), root, depth, onParentStop);
  }

  void writeTo(ObjectNode json) {
    parent.ifPresentOrElse(
        id -> json.put("parent", id.persistenceId()), () -> json.remove("parent"));
    json.put("root", root.persistenceId());
    json.put("depth", depth);
    json.put("onParentStop", onParentStop.name());
  }

  static Optional<Lineage> of(JsonNode json) {
    return json.hasNonNull("root")
        ? Optional.of(
            new Lineage(
                json.hasNonNull("parent")
                    ? Optional.of(AgentId.parse(json.path("parent").asText()))
                    : Optional.empty(),
                AgentId.parse(json.path("root").asText()),
                json.path("depth").asInt(),
                OnParentStop.valueOf(json.path("onParentStop").asText())))
        : Optional.empty();
  }
}
