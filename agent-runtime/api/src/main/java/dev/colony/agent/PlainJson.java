package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;

/**
 * JSON in the one form in which text, CBOR and Redis all give it back: the smallest integer type, a
 * double for every other number, bytes as base64 text. What has no such form is refused, so that
 * equal blueprints stay equal wherever they have been.
 */
final class PlainJson {

  /** Arrays and objects within each other, at most. */
  static final int MAX_DEPTH = 32;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final String what;
  private final CharsetEncoder unicode = StandardCharsets.UTF_8.newEncoder();

  private PlainJson(String what) {
    this.what = what;
  }

  /**
   * A copy in that form.
   *
   * @param what names the value in the refusal
   * @throws IllegalArgumentException if there is none
   */
  static JsonNode of(String what, JsonNode json) {
    return new PlainJson(what).copy(json, MAX_DEPTH);
  }

  private JsonNode copy(JsonNode json, int levels) {
    if (json.isContainerNode() && levels == 0) {
      throw refused("nested deeper than " + MAX_DEPTH + " levels");
    }
    return switch (json.getNodeType()) {
      case OBJECT -> {
        ObjectNode copy = JSON.objectNode();
        json.properties()
            .forEach(field -> copy.set(text(field.getKey()), copy(field.getValue(), levels - 1)));
        yield copy;
      }
      case ARRAY -> {
        ArrayNode copy = JSON.arrayNode(json.size());
        json.forEach(element -> copy.add(copy(element, levels - 1)));
        yield copy;
      }
      case STRING, BINARY -> JSON.textNode(text(json.asText()));
      case NUMBER -> number(json);
      case BOOLEAN, NULL -> json;
      case POJO -> throw refused("a Java object, not JSON");
      case MISSING -> throw refused("missing");
    };
  }

  private JsonNode number(JsonNode json) {
    if (json.isIntegralNumber()) {
      if (json.canConvertToInt()) {
        return JSON.numberNode(json.intValue());
      }
      if (json.canConvertToLong()) {
        return JSON.numberNode(json.longValue());
      }
      throw refused("an integer of more than 64 bits: write it as text");
    }
    double value = json.isFloat() ? Double.parseDouble(json.asText()) : json.doubleValue();
    if (!Double.isFinite(value)) {
      throw refused("a number that JSON does not have: " + json.asText());
    }
    if (json.isBigDecimal() && BigDecimal.valueOf(value).compareTo(json.decimalValue()) != 0) {
      throw refused("a number of more digits than a double holds: write it as text");
    }
    return JSON.numberNode(value);
  }

  private String text(String text) {
    if (!unicode.canEncode(text)) {
      throw refused("text with half a surrogate pair");
    }
    return text;
  }

  private IllegalArgumentException refused(String why) {
    return new IllegalArgumentException(what + " cannot travel: a value in it is " + why);
  }
}
