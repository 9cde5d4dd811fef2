package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.StreamEntry;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A consciousness stream as part of an agent.
 *
 * @param name unique within the agent
 * @param formatter how the entries are rendered
 * @param filters which entries of a kind ({@code event}, {@code action}, or a further registered
 *     one) the stream takes; of a kind that is absent it takes none
 * @param maxEntries the rolling window, 1 to 1000; older entries are dropped
 */
public record StreamBlueprint(
    String name, Blueprint formatter, Map<String, Blueprint> filters, int maxEntries) {

  public static final int DEFAULT_MAX_ENTRIES = 20;

  public StreamBlueprint {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(formatter, "formatter");
    filters = Map.copyOf(filters);
    if (maxEntries < 1 || maxEntries > 1000) {
      throw new IllegalArgumentException("maxEntries is " + maxEntries + ", but must be 1 to 1000");
    }
  }

  /**
   * The same, taking the events that a filter accepts.
   *
   * @throws AgentException if no such filter is installed here
   */
  public StreamBlueprint events(Blueprint filter) {
    return filter(StreamEntry.EVENT, filter);
  }

  /**
   * The same, taking the actions that a filter accepts.
   *
   * @throws AgentException if no such filter is installed here
   */
  public StreamBlueprint actions(Blueprint filter) {
    return filter(StreamEntry.ACTION, filter);
  }

  /**
   * The same, taking the entries of a kind that a filter accepts.
   *
   * @throws AgentException if no such filter, or no such kind, is installed here
   */
  public StreamBlueprint filter(String kind, Blueprint filter) {
    Map<String, Blueprint> more = new TreeMap<>(filters);
    more.put(kind, filter);
    return ConsciousnessStream.checked(new StreamBlueprint(name, formatter, more, maxEntries));
  }

  public StreamBlueprint maxEntries(int window) {
    return new StreamBlueprint(name, formatter, filters, window);
  }

  ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", name);
    json.set("formatter", formatter.toJson());
    ObjectNode byKind = json.putObject("filters");
    new TreeMap<>(filters).forEach((kind, filter) -> byKind.set(kind, filter.toJson()));
    json.put("maxEntries", maxEntries);
    return json;
  }

  static StreamBlueprint fromJson(JsonNode json) {
    Map<String, Blueprint> filters = new TreeMap<>();
    json.path("filters")
        .properties()
        .forEach(one -> filters.put(one.getKey(), Blueprint.fromJson(one.getValue())));
    return new StreamBlueprint(
        json.path("name").asText(),
        Blueprint.fromJson(json.path("formatter")),
        filters,
        json.path("maxEntries").asInt(DEFAULT_MAX_ENTRIES));
  }
}
