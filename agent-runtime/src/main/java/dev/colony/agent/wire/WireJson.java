package dev.colony.agent.wire;

import static com.fasterxml.jackson.annotation.JsonFormat.Shape.STRING;
import static java.util.Locale.ROOT;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.colony.agent.AgentException;
import dev.colony.agent.schema.JsonValues;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the journal's records are as JSON text: the forms that they have there as CBOR, by the same
 * annotations. Lenient: what a newer node adds is passed over.
 */
final class WireJson {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .addModule(new Jdk8Module())
          .addModule(new JavaTimeModule())
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))
          // As text, like the cost of a run: a reader of JSON has doubles only.
          .withConfigOverride(
              BigDecimal.class, type -> type.setFormat(JsonFormat.Value.forShape(STRING)))
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
          .build();

  private WireJson() {}

  static ObjectNode write(Object record) {
    return MAPPER.valueToTree(record);
  }

  /**
   * @throws IllegalArgumentException if it is none
   */
  static <T> T read(JsonNode json, Class<T> type) {
    try {
      return MAPPER.treeToValue(json, type);
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException(malformed.getOriginalMessage(), malformed);
    }
  }

  /**
   * What a stranger asks for, read strictly.
   *
   * @throws IllegalArgumentException on one line, if it is none of that kind
   */
  static <T> T order(JsonNode body, Class<T> kind) {
    if (!body.isObject()) {
      throw new IllegalArgumentException(
          "the body is a JSON object, not a JSON " + body.getNodeType().name().toLowerCase(ROOT));
    }
    return kind.cast(JsonValues.read(body, kind));
  }

  static Optional<String> text(JsonNode json, String name) {
    return json.hasNonNull(name) ? Optional.of(json.get(name).asText()) : Optional.empty();
  }

  /**
   * What an answer says.
   *
   * @throws AgentException if it does not say that
   */
  static <T> T answer(String what, JsonNode json, Function<JsonNode, T> reader) {
    try {
      return reader.apply(json);
    } catch (IllegalArgumentException | DateTimeException malformed) {
      throw new AgentException(
          "the answer is no " + what + ": " + malformed.getMessage(), malformed, false);
    }
  }
}
