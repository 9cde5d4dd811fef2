package dev.colony.client.directory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.client.directory.AgentDirectory.ListedAgent;
import dev.colony.client.directory.DirectoryEntry.Lineage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  /**
   * Where an agent that was spawned by another stands in the tree of agents. One that was detached
   * keeps its root and its depth, so that an agent cannot outgrow the tree's bounds by ending
   * itself.
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

  /**
   * Of whose past an agent is a fork.
   *
   * @param sequenceNr of the last event that it has in common with the agent that it was forked
   *     from
   */
  public record Origin(AgentId agent, long sequenceNr) {

    private static final String NAME = "origin";

    public Origin {
      Objects.requireNonNull(agent, "agent");
      if (sequenceNr < 1) {
        throw new IllegalArgumentException("events are numbered from 1, not: " + sequenceNr);
      }
    }

    void writeTo(ObjectNode json) {
      json.putObject(NAME).put("agent", agent.persistenceId()).put("sequenceNr", sequenceNr);
    }

    static Optional<Origin> of(JsonNode json) {
      JsonNode origin = json.path(NAME);
      return origin.isObject()
          ? Optional.of(
              new Origin(
                  AgentId.parse(origin.path("agent").asText()), origin.path("sequenceNr").asLong()))
          : Optional.empty();
    }
  }

  /**
   * Where what is known of a colony's agents stands: in the colony's scope, namespace {@code
   * agents}, under the agent's name, and under that name behind a prefix and a colon, which no name
   * holds. All of it is one scope, so that a transaction holds it together.
   */
  public static final class DirectoryKeys {

    /** The tag of the agents' own entries. */
    public static final String AGENT = "agent";

    private static final String NAMESPACE = "agents";
    private static final String STATE = "state:";

    private DirectoryKeys() {}

    public static Scope scope(String tenant, String colony) {
      return Scope.colony(tenant, colony).namespace(NAMESPACE);
    }

    static boolean inDirectory(Scope scope) {
      return scope.level() == ScopeLevel.COLONY && scope.namespace().equals(Optional.of(NAMESPACE));
    }

    static AgentId agent(Scope scope, String name) {
      return new AgentId(scope.tenant(), scope.colony().orElseThrow(), name);
    }

    /** What the agent last made known of its state. */
    public static String state(String agent) {
      return STATE + agent;
    }

    static Optional<String> stateOf(String key) {
      return key.startsWith(STATE) ? Optional.of(key.substring(STATE.length())) : Optional.empty();
    }

    /** The agent's children. */
    public static String brood(String agent) {
      return "children:" + agent;
    }

    /** How many living agents descend from a root. */
    public static String tree(String root) {
      return "tree:" + root;
    }
  }

  /**
   * An agent and those that it has spawned.
   *
   * @param children in the order of their names
   */
  public record AgentTree(ListedAgent agent, List<AgentTree> children) {

    public AgentTree {
      children = List.copyOf(children);
    }

    /**
     * The trees of some agents. An agent whose parent is not among them stands by itself, as does
     * one that was detached from it.
     */
    static List<AgentTree> of(Collection<ListedAgent> agents) {
      Map<AgentId, List<ListedAgent>> byParent = new LinkedHashMap<>();
      agents.forEach(one -> byParent.put(one.id(), new ArrayList<>()));
      List<ListedAgent> roots = new ArrayList<>();
      for (ListedAgent one : agents) {
        Optional<AgentId> parent = one.entry().lineage().flatMap(Lineage::parent);
        parent.map(byParent::get).orElse(roots).add(one);
      }
      return trees(roots, byParent);
    }

    private static List<AgentTree> trees(
        List<ListedAgent> agents, Map<AgentId, List<ListedAgent>> byParent) {
      return agents.stream()
          .map(one -> new AgentTree(one, trees(byParent.get(one.id()), byParent)))
          .toList();
    }
  }
}
