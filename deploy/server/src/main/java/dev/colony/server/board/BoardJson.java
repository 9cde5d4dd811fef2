package dev.colony.server.board;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** What the board commands print with {@code --json}: the field names are stable. */
public final class BoardJson {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private BoardJson() {}

  /**
   * A page of what was asked for.
   *
   * @param name of the field that holds it
   * @param next where the next page begins; the field is absent where there is none
   */
  public static <T> ObjectNode page(
      String name, List<T> page, Function<T, ObjectNode> form, Optional<String> next) {
    ObjectNode json = NODES.objectNode();
    ArrayNode all = json.putArray(name);
    page.forEach(one -> all.add(form.apply(one)));
    next.ifPresent(cursor -> json.put("next", cursor));
    return json;
  }

  public static ObjectNode scope(ScopeContent content) {
    ObjectNode json =
        NODES
            .objectNode()
            .put("scope", content.scope().path())
            .put("entries", content.statistics().entries())
            .put("events", content.statistics().events())
            .put("newest", content.statistics().head().toString());
    ObjectNode durable = json.putObject("subscriptions");
    new TreeMap<>(content.statistics().subscriptions())
        .forEach((name, position) -> durable.put(name, position.toString()));
    return json;
  }

  public static ObjectNode entry(Entry entry) {
    ObjectNode json =
        NODES
            .objectNode()
            .put("key", entry.key())
            .put("version", entry.version())
            .put("position", entry.position().toString())
            .put("createdAt", entry.createdAt().toString())
            .put("createdBy", entry.createdBy())
            .put("updatedAt", entry.updatedAt().toString())
            .put("updatedBy", entry.updatedBy());
    tags(json, entry.tags());
    ObjectNode metadata = json.putObject("metadata");
    new TreeMap<>(entry.metadata()).forEach(metadata::put);
    entry.expiresAt().ifPresent(instant -> json.put("expiresAt", instant.toString()));
    json.set("value", entry.value());
    return json;
  }

  public static ObjectNode event(BlackboardEvent event) {
    ObjectNode json =
        NODES
            .objectNode()
            .put("scope", event.scope().path())
            .put("position", event.position().toString())
            .put("at", event.at().toString())
            .put("type", event.type().name().toLowerCase(Locale.ROOT))
            .put("writer", event.writer());
    switch (event) {
      case BlackboardEvent.Written written -> {
        ofEntry(json, written);
        json.set("value", written.value());
      }
      case BlackboardEvent.Deleted deleted ->
          ofEntry(json, deleted).put("evicted", deleted.evicted());
      case BlackboardEvent.Expired expired -> ofEntry(json, expired);
      case BlackboardEvent.Cleared cleared -> json.put("entries", cleared.entries());
    }
    return json;
  }

  private static ObjectNode ofEntry(ObjectNode json, BlackboardEvent.OfEntry event) {
    json.put("key", event.key())
        .put("oldVersion", event.oldVersion())
        .put("version", event.version());
    tags(json, event.tags());
    return json;
  }

  private static void tags(ObjectNode json, Collection<String> tags) {
    ArrayNode sorted = json.putArray("tags");
    new TreeSet<>(tags).forEach(sorted::add);
  }
}
