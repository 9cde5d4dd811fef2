package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Scope;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
 * @param approveActions the keys of those that a person has to approve each time before they begin,
 *     beside those that the type itself holds back for approval
 */
public record CapabilityBlueprint(
    Blueprint what,
    Optional<String> key,
    Optional<Scope> scope,
    Optional<String> namespace,
    Set<String> includeActions,
    Set<String> excludeActions,
    Set<String> approveActions) {

  /** How many actions may be named to be included, excluded or approved. */
  public static final int MAX_ACTIONS = 256;

  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  private static final Set<String> FIELDS =
      Stream.concat(
              Blueprint.FIELDS.stream(),
              Stream.of(
                  "key",
                  "scope",
                  "namespace",
                  "includeActions",
                  "excludeActions",
                  "approveActions"))
          .collect(Collectors.toUnmodifiableSet());

  public CapabilityBlueprint {
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(scope, "scope");
    namespace.ifPresent(Scope.tenant("any")::namespace);
    includeActions = Set.copyOf(includeActions);
    excludeActions = Set.copyOf(excludeActions);
    approveActions = Set.copyOf(approveActions);
    key.ifPresent(name -> {
      if (!KEY.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "a capability's key is 1 to 128 characters of A-Z a-z 0-9 . _ -, not: "
                + JsonFields.shown(name));
      }
    });
    if (includeActions.size() + excludeActions.size() + approveActions.size() > MAX_ACTIONS) {
      throw new IllegalArgumentException(
          "a capability names at most " + MAX_ACTIONS + " actions to include, exclude or approve");
    }
  }

  /** A capability in the agent's own scope, with all its actions. */
  public static CapabilityBlueprint of(Blueprint what) {
    return new CapabilityBlueprint(
        what, Optional.empty(), Optional.empty(), Optional.empty(), Set.of(), Set.of(), Set.of());
  }

  /**
   * The same for a type that is installed here, checked at once; see {@link Blueprint#bind(Class,
   * Object)}.
   */
  public static CapabilityBlueprint of(Class<?> type, Object args) {
    return of(Blueprint.bind(type, args));
  }

  /** The same for a type without arguments, or whose arguments are all optional. */
  public static CapabilityBlueprint of(Class<?> type) {
    return of(Blueprint.bind(type));
  }

  public CapabilityBlueprint key(String name) {
    return new CapabilityBlueprint(
        what, Optional.of(name), scope, namespace, includeActions, excludeActions, approveActions);
  }

  public CapabilityBlueprint scope(Scope other) {
    return new CapabilityBlueprint(
        what, key, Optional.of(other), namespace, includeActions, excludeActions, approveActions);
  }

  public CapabilityBlueprint namespace(String partition) {
    return new CapabilityBlueprint(
        what, key, scope, Optional.of(partition), includeActions, excludeActions, approveActions);
  }

  public CapabilityBlueprint include(String... actions) {
    return new CapabilityBlueprint(
        what, key, scope, namespace, Set.of(actions), excludeActions, approveActions);
  }

  public CapabilityBlueprint exclude(String... actions) {
    return new CapabilityBlueprint(
        what, key, scope, namespace, includeActions, Set.of(actions), approveActions);
  }

  /** The same, of which these actions begin only once a person has approved them, each time. */
  public CapabilityBlueprint approve(String... actions) {
    return new CapabilityBlueprint(
        what, key, scope, namespace, includeActions, excludeActions, Set.of(actions));
  }

  boolean namesActions() {
    return !(includeActions.isEmpty() && excludeActions.isEmpty() && approveActions.isEmpty());
  }

  /** Under which the agent knows it: the given key, or the type's name. */
  public String capabilityKey() {
    return key.orElse(what.type());
  }

  /**
   * Where it stands for an agent. A blueprint may come from any caller who may enter agents of a
   * tenant, so it opens nothing that is not the agent's to use.
   *
   * @throws AgentException if that is of another tenant or colony than the agent
   */
  public Scope scopeFor(AgentId agent) {
    Scope base = scope.orElseGet(agent::scope);
    if (!agent.mayUse(base)) {
      throw AgentException.refused(
          "capability %s of agent %s stands in another tenant or colony: %s"
              .formatted(capabilityKey(), agent, base.path()));
    }
    return namespace.map(base::namespace).orElse(base);
  }

  /** The capability as it is stored; {@link #fromJson} reads it back. */
  @JsonValue
  public ObjectNode toJson() {
    ObjectNode json = what.toJson();
    key.ifPresent(name -> json.put("key", name));
    scope.ifPresent(other -> json.put("scope", other.path()));
    namespace.ifPresent(partition -> json.put("namespace", partition));
    put(json, "includeActions", includeActions);
    put(json, "excludeActions", excludeActions);
    put(json, "approveActions", approveActions);
    return json;
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws IllegalArgumentException on one line, if it is not a capability's blueprint
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static CapabilityBlueprint fromJson(JsonNode json) {
    JsonFields fields = JsonFields.of("a capability's blueprint", json, FIELDS);
    return new CapabilityBlueprint(
        Blueprint.of(fields),
        fields.optionalText("key"),
        fields.parsed("scope", "the path of a scope", Scope::parse),
        fields.optionalText("namespace"),
        fields.texts("includeActions"),
        fields.texts("excludeActions"),
        fields.texts("approveActions"));
  }

  private static void put(ObjectNode json, String name, Set<String> texts) {
    if (!texts.isEmpty()) {
      new TreeSet<>(texts).forEach(json.putArray(name)::add);
    }
  }
}
