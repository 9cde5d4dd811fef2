package dev.colony.vcm.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.PageUses;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageLeases.PageRequest;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The page table's entries: their keys, their JSON, and what an entry or its removal means for the
 * state.
 */
final class TableEntries {

  static final String REPLICA = "replica:";
  static final String GROUP = "group:";
  static final String USES = "uses:";
  static final String OBSERVED = "observed:";
  static final String HOLDER = "holder:";

  private static final Logger LOG = LoggerFactory.getLogger(TableEntries.class);

  /** Stands between a node and a replica; neither has it in its name. */
  private static final String BY = " ";

  /** Which node observes which replica. */
  record Observation(NodeAddress node, ReplicaId replica) {}

  private TableEntries() {}

  static String of(ReplicaId replica) {
    return REPLICA + replica;
  }

  static String of(PageGroupId group) {
    return GROUP + group;
  }

  static String uses(NodeAddress node) {
    return USES + node;
  }

  static String of(Observation observation) {
    return OBSERVED + observation.node() + BY + observation.replica();
  }

  static String holder(String holder) {
    return HOLDER + holder;
  }

  /** What a key names behind one of the prefixes. */
  static Optional<String> name(String key, String prefix) {
    return key.startsWith(prefix) ? Optional.of(key.substring(prefix.length())) : Optional.empty();
  }

  /** The replica that a key is about. */
  static Optional<ReplicaId> replica(String key) {
    return name(key, REPLICA).map(ReplicaId::new);
  }

  /**
   * Which observation a key is about; empty if it is of another kind.
   *
   * @throws IllegalArgumentException if it cannot be read
   */
  static Optional<Observation> observation(String key) {
    return name(key, OBSERVED)
        .map(name -> {
          int by = name.indexOf(BY);
          return new Observation(
              new NodeAddress(name.substring(0, Math.max(0, by))),
              new ReplicaId(name.substring(by + 1)));
        });
  }

  /**
   * What a node has said of itself, or of what it calls.
   *
   * @throws IllegalArgumentException if it cannot be read
   */
  static NodeReport report(String key, JsonNode value) {
    Optional<Observation> observed = observation(key);
    if (observed.isPresent()) {
      return observed(observed.get().node(), observed.get().replica(), value);
    }
    return key.startsWith(REPLICA)
        ? residency(new ReplicaId(key.substring(REPLICA.length())), value)
        : uses(new NodeAddress(key.substring(USES.length())), value);
  }

  /** Takes an entry in; one that cannot be read is logged and left out. */
  static Optional<ResidencyChange> written(String key, JsonNode value, TableState state) {
    try {
      if (key.startsWith(REPLICA)) {
        return state.add((ReplicaResidency) report(key, value));
      } else if (key.startsWith(OBSERVED)) {
        return state.add((ObservedResidency) report(key, value));
      } else if (key.startsWith(USES)) {
        state.add((PageUses) report(key, value));
      } else if (key.startsWith(HOLDER)) {
        state.add(leases(key.substring(HOLDER.length()), value));
      } else if (key.startsWith(GROUP)) {
        PageGroupId group = new PageGroupId(key.substring(GROUP.length()));
        state.add(assignment(group, value));
      }
    } catch (IllegalArgumentException unreadable) {
      LOG.warn("page table entry {} cannot be read: {}", key, unreadable.getMessage());
    }
    return Optional.empty();
  }

  static Optional<ResidencyChange> deleted(String key, Instant at, TableState state) {
    name(key, USES).ifPresent(node -> state.withdrawUses(new NodeAddress(node)));
    name(key, HOLDER).ifPresent(holder -> state.withdrawLeases(holder, at));
    return observation(key)
        .flatMap(state::withdraw)
        .or(() -> replica(key).flatMap(state::withdraw));
  }

  static JsonNode write(NodeReport report) {
    return switch (report) {
      case ReplicaResidency residency -> write(residency);
      case ObservedResidency observed -> write(observed);
      case PageUses uses -> write(uses);
    };
  }

  private static JsonNode write(ReplicaResidency residency) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("node", residency.node().value());
    json.put("uri", residency.baseUri().toString());
    json.put("incarnation", residency.incarnation());
    json.put("version", residency.version());
    return pages(json, residency.pages());
  }

  private static JsonNode write(ObservedResidency observed) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("incarnation", observed.incarnation()).put("version", observed.version());
    return pages(json, observed.pages());
  }

  private static JsonNode pages(ObjectNode json, Map<PageId, Integer> pages) {
    ObjectNode all = json.putObject("pages");
    pages.forEach((page, tokens) -> all.put(page.value(), tokens));
    return json;
  }

  private static Map<PageId, Integer> pages(JsonNode json) {
    Map<PageId, Integer> pages = new HashMap<>();
    json.required("pages")
        .properties()
        .forEach(page -> pages.put(new PageId(page.getKey()), page.getValue().asInt()));
    return pages;
  }

  static ReplicaResidency residency(ReplicaId replica, JsonNode json) {
    return new ReplicaResidency(
        replica,
        new NodeAddress(json.required("node").asText()),
        URI.create(json.required("uri").asText()),
        json.required("incarnation").asLong(),
        json.required("version").asLong(),
        pages(json));
  }

  static ObservedResidency observed(NodeAddress node, ReplicaId replica, JsonNode json) {
    return new ObservedResidency(
        node,
        replica,
        json.required("incarnation").asLong(),
        json.required("version").asLong(),
        pages(json));
  }

  private static JsonNode write(PageUses uses) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("incarnation", uses.incarnation()).put("version", uses.version());
    ObjectNode replicas = json.putObject("replicas");
    uses.replicas()
        .forEach((replica, pages) -> {
          ObjectNode all = replicas.putObject(replica.value());
          pages.forEach((page, use) ->
              all.putArray(page.value())
                  .add(use.readers())
                  .add(use.loading())
                  .add(use.evicting())
                  .add(use.lastUse().toEpochMilli()));
        });
    return json;
  }

  static PageUses uses(NodeAddress node, JsonNode json) {
    Map<ReplicaId, Map<PageId, PageUses.Use>> replicas = new HashMap<>();
    json.required("replicas")
        .properties()
        .forEach(replica -> {
          Map<PageId, PageUses.Use> pages = new HashMap<>();
          replica
              .getValue()
              .properties()
              .forEach(page -> {
                JsonNode use = page.getValue();
                pages.put(
                    new PageId(page.getKey()),
                    new PageUses.Use(
                        use.path(0).asInt(),
                        use.path(1).asInt(),
                        use.path(2).asBoolean(),
                        Instant.ofEpochMilli(use.path(3).asLong())));
              });
          replicas.put(new ReplicaId(replica.getKey()), pages);
        });
    return new PageUses(
        node, json.required("incarnation").asLong(), json.required("version").asLong(), replicas);
  }

  static JsonNode write(HolderLeases leases) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("at", leases.at().toEpochMilli());
    ObjectNode locks = json.putObject("locks");
    leases.locks().forEach((page, until) -> locks.put(page.value(), until.toEpochMilli()));
    ObjectNode requests = json.putObject("requests");
    leases
        .requests()
        .forEach((page, request) ->
            requests
                .putArray(page.value())
                .add(request.priority())
                .add(request.since().toEpochMilli())
                .add(request.until().toEpochMilli()));
    return json;
  }

  static HolderLeases leases(String holder, JsonNode json) {
    TreeMap<PageId, Instant> locks = new TreeMap<>();
    json.required("locks")
        .properties()
        .forEach(lock ->
            locks.put(new PageId(lock.getKey()), Instant.ofEpochMilli(lock.getValue().asLong())));
    TreeMap<PageId, PageRequest> requests = new TreeMap<>();
    json.required("requests")
        .properties()
        .forEach(one -> {
          PageId page = new PageId(one.getKey());
          JsonNode parts = one.getValue();
          requests.put(
              page,
              new PageRequest(
                  page,
                  holder,
                  parts.path(0).asInt(),
                  Instant.ofEpochMilli(parts.path(1).asLong()),
                  Instant.ofEpochMilli(parts.path(2).asLong())));
        });
    return new HolderLeases(
        holder, Instant.ofEpochMilli(json.required("at").asLong()), locks, requests);
  }

  static JsonNode write(GroupAssignment assignment) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("unit", assignment.unit()).put("tokens", assignment.sizeTokens());
    ArrayNode pages = json.putArray("pages");
    assignment.pages().forEach(page -> pages.add(page.value()));
    json.put("kind", assignment.kind().name().toLowerCase(Locale.ROOT));
    return json;
  }

  static GroupAssignment assignment(PageGroupId group, JsonNode json) {
    List<PageId> pages = new ArrayList<>();
    json.required("pages").forEach(page -> pages.add(new PageId(page.asText())));
    return new GroupAssignment(
        group,
        json.required("unit").asInt(),
        pages,
        json.required("tokens").asInt(),
        PageGroup.Kind.valueOf(json.required("kind").asText().toUpperCase(Locale.ROOT)));
  }
}
