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
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The page table's kinds of entries as JSON. */
final class TableJson {

  private TableJson() {}

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
