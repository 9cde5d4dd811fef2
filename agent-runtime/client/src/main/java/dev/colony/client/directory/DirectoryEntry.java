package dev.colony.client.directory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Entry;
import java.time.Instant;
import java.util.Optional;

/**
 * An agent as the directory knows it.
 *
 * @param unit the placement unit in which it lives
 * @param since when it was entered, by the blackboard's clock
 * @param lineage empty for an agent that no other has spawned
 * @param origin empty for an agent that was not forked from another
 */
public record DirectoryEntry(
    int unit,
    AgentBlueprint blueprint,
    Instant since,
    Optional<Lineage> lineage,
    Optional<Origin> origin) {

  /** The incarnation of the agent that made known where it lives. */
  private static final String MOVED_BY = "movedBy";

  static ObjectNode json(
      int unit, AgentBlueprint blueprint, Optional<Lineage> lineage, Optional<Origin> origin) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("unit", unit);
    json.set("blueprint", blueprint.toJson());
    lineage.ifPresent(one -> one.writeTo(json));
    origin.ifPresent(one -> one.writeTo(json));
    return json;
  }

  /** The entry of an agent that has moved; empty where that is known, or outdated. */
  static Optional<ObjectNode> moved(Entry entry, int unit, long incarnation) {
    return entry.value().path(MOVED_BY).asLong() >= incarnation
        ? Optional.empty()
        : Optional.of(
            ((ObjectNode) entry.value().deepCopy()).put("unit", unit).put(MOVED_BY, incarnation));
  }

  /** The entry of an agent that goes on without its parent; empty where it is no child of that. */
  public static Optional<ObjectNode> detached(Entry entry, AgentId parent) {
    return Lineage.of(entry.value())
        .filter(lineage -> lineage.parent().equals(Optional.of(parent)))
        .map(lineage -> {
          ObjectNode json = entry.value().deepCopy();
          lineage.detached().writeTo(json);
          return json;
        });
  }

  public static DirectoryEntry of(Entry entry) {
    JsonNode json = entry.value();
    return new DirectoryEntry(
        json.path("unit").asInt(),
        AgentBlueprint.fromJson(json.path("blueprint")),
        entry.createdAt(),
        Lineage.of(json),
        Origin.of(json));
  }
}
