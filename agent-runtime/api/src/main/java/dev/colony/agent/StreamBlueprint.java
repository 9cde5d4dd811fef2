package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

  /** The kind of the entries that event handlers make. */
  public static final String EVENT = "event";

  /** The kind of the entries of dispatched actions. */
  public static final String ACTION = "action";

  public static final int DEFAULT_MAX_ENTRIES = 20;

  /** How many kinds of entries one stream may take. */
  public static final int MAX_KINDS = 16;

  private static final int MAX_NAME = 128;
  private static final Set<String> FIELDS = Set.of("name", "formatter", "filters", "maxEntries");

  public StreamBlueprint {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(formatter, "formatter");
    filters = Map.copyOf(filters);
    if (name.isBlank() || name.length() > MAX_NAME) {
      throw new IllegalArgumentException(
          "a stream's name is 1 to " + MAX_NAME + " characters, not: " + JsonFields.shown(name));
    }
    if (filters.size() > MAX_KINDS) {
      throw new IllegalArgumentException(
          "the stream " + name + " filters more than " + MAX_KINDS + " kinds of entries");
    }
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
    return filter(EVENT, filter);
  }

  /**
   * The same, taking the actions that a filter accepts.
   *
   * @throws AgentException if no such filter is installed here
   */
  public StreamBlueprint actions(Blueprint filter) {
    return filter(ACTION, filter);
  }

  /**
   * The same, taking the entries of a kind that a filter accepts.
   *
   * @throws AgentException if no such filter, or no such kind, is installed here
   */
  public StreamBlueprint filter(String kind, Blueprint filter) {
    Map<String, Blueprint> more = new TreeMap<>(filters);
    more.put(kind, filter);
    StreamBlueprint filtered = new StreamBlueprint(name, formatter, more, maxEntries);
    BlueprintBinder.installed().check(filtered);
    return filtered;
  }

  public StreamBlueprint maxEntries(int window) {
    return new StreamBlueprint(name, formatter, filters, window);
  }

  /** The stream as it is stored; {@link #fromJson} reads it back. */
  @JsonValue
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", name);
    json.set("formatter", formatter.toJson());
    ObjectNode byKind = json.putObject("filters");
    new TreeMap<>(filters).forEach((kind, filter) -> byKind.set(kind, filter.toJson()));
    json.put("maxEntries", maxEntries);
    return json;
  }

  /**
   * Reads {@link #toJson} back; a window that is absent is {@value #DEFAULT_MAX_ENTRIES}.
   *
   * @throws IllegalArgumentException on one line, if it is not a stream's blueprint
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static StreamBlueprint fromJson(JsonNode json) {
    JsonFields fields = JsonFields.of("a stream's blueprint", json, FIELDS);
    return new StreamBlueprint(
        fields.text("name"),
        Blueprint.fromJson(fields.required("formatter")),
        fields.map("filters", Blueprint::fromJson),
        fields.integer("maxEntries").orElse(DEFAULT_MAX_ENTRIES));
  }
}
