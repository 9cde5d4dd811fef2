package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Scope;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A capability as part of an agent.
 *
 * @param what the registered type and its arguments
 * @param key names the capability within the agent; empty for the type's name. Two of one type need
 *     different keys
 * @param scope where the capability's entries and events stand: another agent's (remote mode) or a
 *     shared one; empty for the agent's own (local mode)
 * @param namespace the partition of that scope; empty for none
 * @param includeActions the keys of the actions that the agent gets; empty for all
 * @param excludeActions the keys of those that it does not get
 */
public record CapabilityBlueprint(
    Blueprint what,
    Optional<String> key,
    Optional<Scope> scope,
    Optional<String> namespace,
    Set<String> includeActions,
    Set<String> excludeActions) {

  public CapabilityBlueprint {
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(scope, "scope");
    namespace.ifPresent(Scope.tenant("any")::namespace);
    includeActions = Set.copyOf(includeActions);
    excludeActions = Set.copyOf(excludeActions);
  }

  /** A capability in the agent's own scope, with all its actions. */
  public static CapabilityBlueprint of(Blueprint what) {
    return new CapabilityBlueprint(
        what, Optional.empty(), Optional.empty(), Optional.empty(), Set.of(), Set.of());
  }

  public CapabilityBlueprint key(String name) {
    return new CapabilityBlueprint(
        what, Optional.of(name), scope, namespace, includeActions, excludeActions);
  }

  public CapabilityBlueprint scope(Scope other) {
    return new CapabilityBlueprint(
        what, key, Optional.of(other), namespace, includeActions, excludeActions);
  }

  public CapabilityBlueprint namespace(String partition) {
    return new CapabilityBlueprint(
        what, key, scope, Optional.of(partition), includeActions, excludeActions);
  }

  public CapabilityBlueprint include(String... actions) {
    return new CapabilityBlueprint(what, key, scope, namespace, Set.of(actions), excludeActions);
  }

  public CapabilityBlueprint exclude(String... actions) {
    return new CapabilityBlueprint(what, key, scope, namespace, includeActions, Set.of(actions));
  }

  /** Under which the agent knows it: the given key, or the type's name. */
  public String capabilityKey() {
    return key.orElse(what.type());
  }

  /** Where it stands for an agent. */
  public Scope scopeFor(AgentId agent) {
    Scope base = scope.orElseGet(agent::scope);
    return namespace.map(base::namespace).orElse(base);
  }

  ObjectNode toJson() {
    ObjectNode json = what.toJson();
    key.ifPresent(name -> json.put("key", name));
    scope.ifPresent(other -> json.put("scope", other.path()));
    namespace.ifPresent(partition -> json.put("namespace", partition));
    put(json, "includeActions", includeActions);
    put(json, "excludeActions", excludeActions);
    return json;
  }

  static CapabilityBlueprint fromJson(JsonNode json) {
    return new CapabilityBlueprint(
        Blueprint.fromJson(json),
        text(json, "key"),
        text(json, "scope").map(Scope::parse),
        text(json, "namespace"),
        texts(json.path("includeActions")),
        texts(json.path("excludeActions")));
  }

  private static void put(ObjectNode json, String name, Set<String> texts) {
    if (!texts.isEmpty()) {
      var array = JsonNodeFactory.instance.arrayNode();
      new TreeSet<>(texts).forEach(array::add);
      json.set(name, array);
    }
  }

  private static Optional<String> text(JsonNode json, String name) {
    return json.hasNonNull(name) ? Optional.of(json.path(name).asText()) : Optional.empty();
  }

  private static Set<String> texts(JsonNode array) {
    Set<String> texts = new TreeSet<>();
    array.forEach(one -> texts.add(one.asText()));
    return texts;
  }
}
