package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * What a model replies about a page.
 *
 * @param quotes what answers, not yet held against the page
 * @param looks what it wants to see
 */
record AnalystReply(List<Quote> quotes, List<Look> looks) {

  /**
   * Of a text that satisfies the schema of {@link AnalystPrompt}; what does not fit is left out.
   */
  static AnalystReply of(String text) {
    JsonNode reply = Json.parse(text);
    List<Quote> quotes = new ArrayList<>();
    for (JsonNode one : reply.path("evidence")) {
      int first = one.path("first").asInt();
      quotes.add(
          new Quote(
              one.path("file").asText(),
              first,
              Math.max(first, one.path("last").asInt()),
              one.path("text").asText(),
              one.path("score").asDouble()));
    }
    List<Look> looks = new ArrayList<>();
    for (JsonNode one : reply.path("look")) {
      Look look =
          new Look(
              one.path("tool").asText(),
              one.path("of").asText(),
              one.path("first").asInt(),
              one.path("last").asInt());
      if (!look.of().isBlank() && !looks.contains(look)) {
        looks.add(look);
      }
    }
    return new AnalystReply(List.copyOf(quotes), List.copyOf(looks));
  }

  /** One text of several replies. */
  static String joined(List<String> texts) {
    if (texts.size() == 1) {
      return texts.getFirst();
    }
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    for (String list : List.of("evidence", "look")) {
      ArrayNode joined = all.putArray(list);
      texts.forEach(text -> Json.parse(text).path(list).forEach(joined::add));
    }
    return all.toString();
  }
}
