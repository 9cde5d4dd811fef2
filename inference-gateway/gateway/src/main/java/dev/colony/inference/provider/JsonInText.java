package dev.colony.inference.provider;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds JSON in what a model wrote: models without constrained decoding wrap it in Markdown fences
 * and in prose.
 */
final class JsonInText {

  /** Beginnings that are tried: each may read the rest of the text. */
  static final int MOST_BEGINNINGS = 64;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectReader WHOLE =
      JSON.reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final ObjectReader FIRST =
      JSON.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private JsonInText() {}

  /**
   * The text as JSON, or else the objects and arrays in it, in their order and none within another.
   *
   * @return empty if there is none
   */
  static List<JsonNode> values(String text) {
    Optional<JsonNode> whole = whole(text.strip());
    if (whole.isPresent()) {
      return List.of(whole.get());
    }
    List<JsonNode> found = new ArrayList<>();
    int tried = 0;
    for (int at = next(text, 0); at >= 0 && tried < MOST_BEGINNINGS; tried++) {
      int end = read(text, at, found);
      at = next(text, end > at ? end : at + 1);
    }
    return found;
  }

  /** Why the text is no JSON, on one line. */
  static String error(String text) {
    try {
      WHOLE.readTree(text.strip());
      return "it is empty";
    } catch (JsonProcessingException failure) {
      return "it is not JSON (" + failure.getOriginalMessage() + ")";
    }
  }

  static Optional<JsonNode> whole(String text) {
    try {
      return Optional.ofNullable(WHOLE.readTree(text)).filter(node -> !node.isMissingNode());
    } catch (JsonProcessingException none) {
      return Optional.empty();
    }
  }

  /**
   * The object that is meant. Some models write null for none, or the text of the object in the
   * place of the object.
   */
  static JsonNode object(JsonNode given) {
    if (given.isMissingNode() || given.isNull()) {
      return JSON.createObjectNode();
    }
    String text = given.isTextual() ? given.textValue().strip() : "";
    return whole(text).filter(JsonNode::isObject).orElse(given);
  }

  private static int next(String text, int from) {
    int brace = text.indexOf('{', from);
    int bracket = text.indexOf('[', from);
    return brace < 0 ? bracket : bracket < 0 ? brace : Math.min(brace, bracket);
  }

  /** Where the value that begins here ends; the beginning if none does. */
  private static int read(String text, int at, List<JsonNode> found) {
    try (JsonParser parser = JSON.createParser(text.substring(at))) {
      JsonNode value = FIRST.readTree(parser);
      found.add(value);
      return at + (int) parser.currentLocation().getCharOffset();
    } catch (IOException none) {
      return at;
    }
  }
}
