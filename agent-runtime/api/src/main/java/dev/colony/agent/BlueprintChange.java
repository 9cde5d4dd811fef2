package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How the blueprint of an agent changes while it lives. An agent keeps its kind and its pages.
 *
 * @param blueprint in place of the agent's; empty where only capabilities come and go
 * @param added capabilities that it has besides
 * @param removed the keys of capabilities that it has no longer, before others are added
 */
public record BlueprintChange(
    Optional<AgentBlueprint> blueprint, List<CapabilityBlueprint> added, Set<String> removed) {

  private static final Set<String> FIELDS = Set.of("blueprint", "added", "removed");

  public BlueprintChange {
    added = List.copyOf(added);
    removed = Set.copyOf(removed);
    if (blueprint.isEmpty() && added.isEmpty() && removed.isEmpty()) {
      throw new IllegalArgumentException("a change of a blueprint changes nothing");
    }
  }

  /** Another blueprint. */
  public static BlueprintChange to(AgentBlueprint blueprint) {
    return new BlueprintChange(Optional.of(blueprint), List.of(), Set.of());
  }

  /** More capabilities. */
  public static BlueprintChange adding(CapabilityBlueprint... capabilities) {
    return new BlueprintChange(Optional.empty(), List.of(capabilities), Set.of());
  }

  /** Fewer capabilities, by their keys. */
  public static BlueprintChange removing(String... keys) {
    return new BlueprintChange(Optional.empty(), List.of(), Set.of(keys));
  }

  /**
   * The blueprint that comes of another.
   *
   * @throws IllegalArgumentException on one line, if an agent of that blueprint cannot change so: a
   *     key is unknown or taken, it would be too large, or of another kind or other pages
   */
  public AgentBlueprint of(AgentBlueprint current) {
    AgentBlueprint next = blueprint.orElse(current);
    if (next.kind() != current.kind() || !next.pages().equals(current.pages())) {
      throw new IllegalArgumentException(
          "an agent keeps its kind, which is %s, and its pages".formatted(current.kind()));
    }
    List<CapabilityBlueprint> capabilities = new ArrayList<>(next.capabilities());
    for (String key : removed) {
      if (!capabilities.removeIf(one -> one.capabilityKey().equals(key))) {
        throw new IllegalArgumentException("the agent has no capability " + key);
      }
    }
    capabilities.addAll(added);
    return new AgentBlueprint(
        next.kind(),
        next.policy(),
        capabilities,
        next.streams(),
        next.pages(),
        next.budget(),
        next.resources(),
        next.model());
  }

  /** As it is sent; {@link #fromJson} reads it back. */
  @JsonValue
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    blueprint.ifPresent(whole -> json.set("blueprint", whole.toJson()));
    if (!added.isEmpty()) {
      var more = json.putArray("added");
      added.forEach(one -> more.add(one.toJson()));
    }
    if (!removed.isEmpty()) {
      var fewer = json.putArray("removed");
      removed.stream().sorted().forEach(fewer::add);
    }
    return json;
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws IllegalArgumentException on one line, if it is none
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static BlueprintChange fromJson(JsonNode json) {
    JsonFields fields = JsonFields.of("a change of a blueprint", json, FIELDS);
    return new BlueprintChange(
        fields.any("blueprint").map(AgentBlueprint::fromJson),
        fields.list("added", CapabilityBlueprint::fromJson),
        fields.texts("removed"));
  }
}
