package dev.colony.client.wire;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializerBase;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.colony.agent.AgentException;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.schema.JsonValues;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.util.function.Function;

/**
 * Views as JSON and back, by the names of their components and their annotations. Lenient: what a
 * newer node adds is passed over.
 */
public final class WireJson {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .addModule(new Jdk8Module())
          .addModule(new JavaTimeModule())
          .addModule(
              new SimpleModule()
                  .addSerializer(Scope.class, new ToStringSerializer(Scope.class))
                  .addDeserializer(Scope.class, text(Scope.class, Scope::parse))
                  .addSerializer(Position.class, new ToStringSerializer(Position.class))
                  .addDeserializer(Position.class, text(Position.class, Position::parse))
                  .addSerializer(BigDecimal.class, new Money()))
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
          .build();

  private WireJson() {}

  /** As text, like the cost of a run, without exponents: a reader of JSON has doubles only. */
  private static final class Money extends ToStringSerializerBase {
    private static final long serialVersionUID = 1L;

    Money() {
      super(BigDecimal.class);
    }

    @Override
    public String valueToString(Object amount) {
      return ((BigDecimal) amount).toPlainString();
    }
  }

  private static <T> StdDeserializer<T> text(Class<T> type, Function<String, T> parse) {
    return new StdDeserializer<>(type) {
      private static final long serialVersionUID = 1L;

      @Override
      public T deserialize(JsonParser json, DeserializationContext context) throws IOException {
        return parse.apply(json.getValueAsString(""));
      }
    };
  }

  /** As it is sent and printed; {@link #answer(String, JsonNode, Class)} reads it back. */
  public static ObjectNode write(Object view) {
    return MAPPER.valueToTree(view);
  }

  /**
   * Reads {@link #write} back.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static <T> T read(JsonNode json, Class<T> type) {
    try {
      return MAPPER.treeToValue(json, type);
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException(malformed.getOriginalMessage(), malformed);
    }
  }

  /**
   * A request's body, read strictly, since any client may send it.
   *
   * @throws IllegalArgumentException on one line, if it is none of that kind
   */
  static <T> T request(JsonNode body, Class<T> kind) {
    if (!body.isObject()) {
      throw new IllegalArgumentException(
          "the body is a JSON object, not a JSON " + body.getNodeType().name().toLowerCase(ROOT));
    }
    return kind.cast(JsonValues.read(body, kind));
  }

  /**
   * Reads {@link #write} back.
   *
   * @param what for people, should it be none
   * @throws AgentException if it is none
   */
  public static <T> T answer(String what, JsonNode json, Class<T> view) {
    return answer(what, json, one -> read(one, view));
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
