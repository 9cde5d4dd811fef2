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
 * @param original the blueprint that it was entered with; spawning it again takes this one
 * @param since when it was entered, by the blackboard's clock
 * @param lineage empty for an agent that no other has spawned
 * @param origin empty for an agent that was not forked from another
 * @param revised the blueprint that it has since its last revision; empty without any
 */
public record DirectoryEntry(
    int unit,
    AgentBlueprint original,
    Instant since,
    Optional<Lineage> lineage,
    Optional<Origin> origin,
    Optional<AgentBlueprint> revised) {

  /** The incarnation of the agent that made known where it lives. */
  private static final String MOVED_BY = "movedBy";

  private static final String REVISED = "revised";
  private static final String BLUEPRINT = "blueprint";
  private static final String REVISION = "revision";
  private static final String BY = "by";

  /** The blueprint that the agent has now. */
  public AgentBlueprint blueprint() {
    return revised.orElse(original);
  }

  static ObjectNode json(
      int unit, AgentBlueprint blueprint, Optional<Lineage> lineage, Optional<Origin> origin) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("unit", unit);
    json.set(BLUEPRINT, blueprint.toJson());
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

  /** The entry of an agent that was revised; empty where that is known, or outdated. */
  static Optional<ObjectNode> revised(
      Entry entry, AgentBlueprint blueprint, int revision, long incarnation) {
    JsonNode known = entry.value().path(REVISED);
    JsonNode wanted = blueprint.toJson();
    boolean same = known.path(REVISION).asInt() == revision && known.path(BLUEPRINT).equals(wanted);
    boolean outdated =
        known.path(BY).asLong() > incarnation
            || known.path(BY).asLong() == incarnation && known.path(REVISION).asInt() > revision;
    if (same || outdated) {
      return Optional.empty();
    }
    ObjectNode json = entry.value().deepCopy();
    json.putObject(REVISED).put(REVISION, revision).put(BY, incarnation).set(BLUEPRINT, wanted);
    return Optional.of(json);
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
        AgentBlueprint.fromJson(json.path(BLUEPRINT)),
        entry.createdAt(),
        Lineage.of(json),
        Origin.of(json),
        json.has(REVISED)
            ? Optional.of(AgentBlueprint.fromJson(json.path(REVISED).path(BLUEPRINT)))
            : Optional.empty());
  }
}
