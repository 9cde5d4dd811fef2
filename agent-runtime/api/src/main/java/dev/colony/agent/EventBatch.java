package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The writes that started a run. An agent whose capabilities name {@linkplain
 * dev.colony.agent.author.EventHandler#pattern patterns} is given what matches them as the input of
 * a run of its own: each write in one run, in the order of their positions, as many as have come
 * meanwhile.
 *
 * @param missed true if earlier writes are no longer stored, so that the agent never gets them;
 *     what they left may still be on the blackboard. Only then {@code events} can be empty
 */
public record EventBatch(Scope scope, List<Event> events, boolean missed) {

  /**
   * The namespace of the agent's scope in which such runs stand; no caller can ask for runs there.
   */
  public static final String NAMESPACE = "woken";

  /**
   * One write.
   *
   * @param value empty if it is too large for the input of a run: then it has to be read
   */
  public record Event(
      String key,
      Position position,
      Instant at,
      String writer,
      long oldVersion,
      long version,
      Set<String> tags,
      Optional<JsonNode> value) {

    public Event {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(position, "position");
      Objects.requireNonNull(at, "at");
      Objects.requireNonNull(writer, "writer");
      Objects.requireNonNull(value, "value");
      tags = Set.copyOf(tags);
    }
  }

  public EventBatch {
    Objects.requireNonNull(scope, "scope");
    events = List.copyOf(events);
  }

  /** The writes that started this run; empty for a run that a caller asked for. */
  public static Optional<EventBatch> of(RunRequest request) {
    return request.namespace().equals(NAMESPACE)
        ? Optional.of(fromJson(request.input()))
        : Optional.empty();
  }

  /** The batch as the input of a run. */
  @JsonValue
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("scope", scope.path());
    json.put("missed", missed);
    var list = json.putArray("events");
    for (Event event : events) {
      ObjectNode one = list.addObject();
      one.put("key", event.key());
      one.put("position", event.position().toString());
      one.put("at", event.at().toString());
      one.put("writer", event.writer());
      one.put("oldVersion", event.oldVersion());
      one.put("version", event.version());
      event.tags().stream().sorted().forEach(one.putArray("tags")::add);
      event.value().ifPresent(value -> one.set("value", value));
    }
    return json;
  }

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  private static EventBatch fromJson(JsonNode json) {
    List<Event> events = new ArrayList<>();
    json.path("events")
        .forEach(one -> {
          Set<String> tags = new HashSet<>();
          one.path("tags").forEach(tag -> tags.add(tag.asText()));
          events.add(
              new Event(
                  one.path("key").asText(),
                  Position.parse(one.path("position").asText()),
                  Instant.parse(one.path("at").asText()),
                  one.path("writer").asText(),
                  one.path("oldVersion").asLong(),
                  one.path("version").asLong(),
                  tags,
                  Optional.ofNullable(one.get("value"))));
        });
    return new EventBatch(
        Scope.parse(json.path("scope").asText()), events, json.path("missed").asBoolean());
  }
}
