package dev.colony.agent.author;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.blackboard.value.Text;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * JSON text that a person has written, with the place of each value in it. Comments, from {@code
 * //} to the end of the line or between {@code /}{@code *} and {@code *}{@code /}, are let through,
 * and so is a comma behind the last element; a field that stands twice in an object is refused.
 */
public final class LocatedJson {

  /** Arrays and objects within each other, at most. */
  public static final int MAX_DEPTH = 100;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
                  .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /** A place in a text; lines and columns are counted from 1. */
  public record Place(int line, int column) {

    public static final Place BEGINNING = new Place(1, 1);

    private static Place of(JsonLocation location) {
      return location == null || location.getLineNr() < 1
          ? BEGINNING
          : new Place(location.getLineNr(), Math.max(1, location.getColumnNr()));
    }
  }

  public static final class Malformed extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final transient Place place;

    private Malformed(String why, Place place, Throwable cause) {
      super(why, cause);
      this.place = place;
    }

    /** From where on it cannot be read. */
    public Place place() {
      return place;
    }
  }

  private final JsonNode json;
  private final Map<JsonPointer, Place> values = new HashMap<>();
  private final Map<JsonPointer, Place> names = new HashMap<>();

  private LocatedJson(JsonNode json) {
    this.json = json;
  }

  /**
   * Reads a text.
   *
   * @throws Malformed on one line, if it is no JSON
   */
  public static LocatedJson parse(String text) {
    try {
      JsonNode json = MAPPER.readTree(text);
      if (json.isMissingNode()) {
        throw new Malformed("there is nothing in it", Place.BEGINNING, null);
      }
      LocatedJson located = new LocatedJson(json);
      located.locate(text);
      return located;
    } catch (JsonProcessingException wrong) {
      throw new Malformed(why(wrong), Place.of(wrong.getLocation()), wrong);
    } catch (IOException never) {
      throw new IllegalStateException(never);
    }
  }

  private void locate(String text) throws IOException {
    try (JsonParser parser = MAPPER.createParser(text)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        JsonPointer at = parser.getParsingContext().pathAsPointer();
        Place place = Place.of(parser.currentTokenLocation());
        if (token == JsonToken.FIELD_NAME) {
          names.put(at, place);
        } else if (!token.isStructEnd()) {
          values.put(at, place);
        }
      }
    }
  }

  /** What it says. */
  public JsonNode json() {
    return json;
  }

  /** Where a value begins; where there is none, where the nearest does that would hold it. */
  public Place place(JsonPointer value) {
    JsonPointer at = value;
    while (at != null && !values.containsKey(at)) {
      at = at.head();
    }
    return at == null ? Place.BEGINNING : values.get(at);
  }

  /** Where the name of a field stands, or else as {@link #place} has it. */
  public Place nameOf(JsonPointer field) {
    Place name = names.get(field);
    return name == null ? place(field) : name;
  }

  /** Without the library's notes on its source. */
  private static String why(JsonProcessingException wrong) {
    return Text.message(
        wrong
            .getOriginalMessage()
            .replaceAll(
                "\\(start marker at \\[.*?line: (\\d+), column: (\\d+)\\]\\)",
                "that began at line $1, column $2")
            .replaceAll(", from `StreamReadConstraints[^`]*`", ""));
  }
}
