package dev.colony.vcm.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The page table's two kinds of entries as JSON. */
final class TableJson {

  private TableJson() {}

  static JsonNode write(ReplicaResidency residency) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("node", residency.node().value());
    json.put("uri", residency.baseUri().toString());
    json.put("incarnation", residency.incarnation());
    json.put("version", residency.version());
    ObjectNode pages = json.putObject("pages");
    residency.pages().forEach((page, tokens) -> pages.put(page.value(), tokens));
    return json;
  }

  static ReplicaResidency residency(ReplicaId replica, JsonNode json) {
    Map<PageId, Integer> pages = new HashMap<>();
    json.required("pages")
        .properties()
        .forEach(page -> pages.put(new PageId(page.getKey()), page.getValue().asInt()));
    return new ReplicaResidency(
        replica,
        new NodeAddress(json.required("node").asText()),
        URI.create(json.required("uri").asText()),
        json.required("incarnation").asLong(),
        json.required("version").asLong(),
        pages);
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
