package dev.colony.agent.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.inspect.HistoryEntry;
import dev.colony.agent.inspect.HistoryPage;
import dev.colony.agent.inspect.HistoryPosition;
import dev.colony.agent.inspect.InspectedStep;
import dev.colony.agent.inspect.Moment;
import dev.colony.agent.lifecycle.AgentEvent;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A stretch of an agent's history: {@code entries}, each with its {@code type}, a {@code step} or a
 * {@code moment} with the name of the journal's event and the event itself; and {@code older} and
 * {@code newer}, the places where it goes on. Nothing is left out.
 */
public final class HistoryJson {

  private static final String STEP = "step";
  private static final String MOMENT = "moment";

  /** The closed list of what may be read, by the names of the records. */
  private static final Map<String, Class<? extends AgentEvent>> EVENTS =
      Arrays.stream(AgentEvent.class.getPermittedSubclasses())
          .map(type -> type.<AgentEvent>asSubclass(AgentEvent.class))
          .collect(Collectors.toUnmodifiableMap(Class::getSimpleName, Function.identity()));

  private HistoryJson() {}

  /** As it is sent; {@link #read} reads it back. */
  public static ObjectNode write(HistoryPage page) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    ArrayNode entries = json.putArray("entries");
    page.entries().forEach(entry -> entries.add(write(entry)));
    page.older().ifPresent(older -> json.put("older", older.token()));
    json.put("newer", page.newer().token());
    return json;
  }

  /**
   * Reads {@link #write} back.
   *
   * @throws dev.colony.agent.AgentException if it is no such answer
   */
  public static HistoryPage read(JsonNode answer) {
    return WireJson.answer(
        "page of a history",
        answer,
        json ->
            new HistoryPage(
                json.path("entries").valueStream().map(HistoryJson::entry).toList(),
                WireJson.text(json, "older").map(HistoryPosition::parse),
                HistoryPosition.parse(json.path("newer").asText())));
  }

  private static ObjectNode write(HistoryEntry entry) {
    return switch (entry) {
      case InspectedStep step -> WireJson.write(step).put("type", STEP);
      case Moment moment -> {
        ObjectNode json =
            JsonNodeFactory.instance
                .objectNode()
                .put("type", MOMENT)
                .put("sequenceNr", moment.sequenceNr())
                .put("event", moment.event().getClass().getSimpleName());
        json.set("data", WireJson.write(moment.event()));
        yield json;
      }
    };
  }

  private static HistoryEntry entry(JsonNode json) {
    String type = json.path("type").asText();
    return switch (type) {
      case STEP -> WireJson.read(json, InspectedStep.class);
      case MOMENT -> new Moment(json.path("sequenceNr").asLong(), event(json));
      default -> throw new IllegalArgumentException("an entry is a step or a moment, not: " + type);
    };
  }

  private static AgentEvent event(JsonNode json) {
    String name = json.path("event").asText();
    Class<? extends AgentEvent> type = EVENTS.get(name);
    if (type == null) {
      throw new IllegalArgumentException("no event of a journal: " + name);
    }
    return WireJson.read(json.path("data"), type);
  }
}
