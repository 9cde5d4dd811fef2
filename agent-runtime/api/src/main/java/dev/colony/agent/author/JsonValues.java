package dev.colony.agent.author;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.cfg.MutableCoercionConfig;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.PolymorphicTypeValidator;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.Serializers;
import com.fasterxml.jackson.databind.type.CollectionType;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.colony.blackboard.value.Text;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Type;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;

/**
 * Java values as JSON and back. The same value always makes the same JSON: sets and maps are
 * written in order. Reading is strict: nothing is coerced, unknown fields are refused, and no class
 * is ever chosen by a name in the JSON. Thread-safe.
 */
public final class JsonValues {

  /** As many threads as write at once and find a buffer; others make one. */
  private static final int BUFFERS = 64;

  /**
   * Actions and policies write on threads of one use, which would make the buffers anew that
   * Jackson keeps for each thread.
   */
  static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder().recyclerPool(JsonRecyclerPools.newBoundedPool(BUFFERS)).build())
          .addModule(new Jdk8Module())
          .addModule(new JavaTimeModule())
          .addModule(new OrderedSets())
          .polymorphicTypeValidator(new NoClassNames())
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          // that feature leaves numbers and truth values for text alone
          .withCoercionConfig(
              LogicalType.Textual,
              text ->
                  text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
          // and takes a blank text for no number
          .withCoercionConfig(LogicalType.Integer, JsonValues::notOfBlank)
          .withCoercionConfig(LogicalType.Float, JsonValues::notOfBlank)
          .withCoercionConfig(LogicalType.Boolean, JsonValues::notOfBlank)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
          .build();

  private JsonValues() {}

  private static void notOfBlank(MutableCoercionConfig type) {
    type.setAcceptBlankAsEmpty(false)
        .setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail);
  }

  /**
   * A value as JSON; null becomes JSON null.
   *
   * @throws IllegalArgumentException on one line, if it cannot be written as JSON
   */
  public static JsonNode toJson(Object value) {
    try {
      return MAPPER.valueToTree(value);
    } catch (IllegalArgumentException failure) {
      throw new IllegalArgumentException(
          "a " + value.getClass().getTypeName() + " cannot be written as JSON: " + why(failure),
          failure);
    }
  }

  /**
   * Writes a value as JSON text, as {@link #toJson} has it, without holding it as a whole.
   *
   * @throws IOException of the stream, as it is or as the cause, or if the value cannot be written
   *     as JSON
   */
  public static void write(Object value, OutputStream out) throws IOException {
    MAPPER.writeValue(out, value);
  }

  /**
   * JSON text as a value.
   *
   * @throws IOException if it is no JSON
   */
  public static JsonNode parse(byte[] text) throws IOException {
    return MAPPER.readTree(text);
  }

  /**
   * The same of text in characters.
   *
   * @throws JsonProcessingException if it is no JSON
   */
  public static JsonNode parse(String text) throws JsonProcessingException {
    return MAPPER.readTree(text);
  }

  /**
   * A value of a Java type read from JSON.
   *
   * @throws IllegalArgumentException on one line, if the JSON is none
   */
  public static Object read(JsonNode json, Type type) {
    JavaType wanted = MAPPER.constructType(type);
    try {
      return MAPPER.readerFor(wanted).readValue(json);
    } catch (IOException | RuntimeException failure) {
      throw new IllegalArgumentException(why(failure), failure);
    }
  }

  /** Where and why, without the library's notes on streams and reference chains. */
  private static String why(Exception failure) {
    Throwable cause = failure;
    while (!(cause instanceof JsonMappingException) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (!(cause instanceof JsonProcessingException processing)) {
      return Text.message(cause);
    }
    String where =
        processing instanceof JsonMappingException mapping
            ? mapping.getPath().stream()
                .map(step ->
                    step.getFieldName() == null ? "[" + step.getIndex() + "]" : step.getFieldName())
                .collect(Collectors.joining("."))
            : "";
    String what =
        processing.getCause() instanceof RuntimeException refused
            ? Text.message(refused)
            : Text.message(processing.getOriginalMessage());
    return where.isEmpty() ? what : where + ": " + what;
  }

  /** Refuses every type whose values would name their class. */
  private static final class NoClassNames extends PolymorphicTypeValidator.Base {

    private static final long serialVersionUID = 1L;

    @Override
    public Validity validateBaseType(MapperConfig<?> config, JavaType baseType) {
      return Validity.DENIED;
    }
  }

  /**
   * Writes sets in the order of their elements' JSON text. The order of a hash set differs from JVM
   * to JVM, and a blueprint that was bound twice must be the same blueprint.
   */
  static final class OrderedSets extends SimpleModule {

    private static final long serialVersionUID = 1L;

    @Override
    public void setupModule(SetupContext context) {
      context.addSerializers(new OfSets());
    }

    private static final class OfSets extends Serializers.Base {

      @Override
      public JsonSerializer<?> findCollectionSerializer(
          SerializationConfig config,
          CollectionType type,
          BeanDescription bean,
          TypeSerializer typeSerializer,
          JsonSerializer<Object> elementSerializer) {
        boolean unordered =
            type.isTypeOrSubTypeOf(Set.class) && !type.isTypeOrSubTypeOf(SortedSet.class);
        return unordered ? new Ordered() : null;
      }
    }

    private static final class Ordered extends JsonSerializer<Set<?>> {

      @Override
      public void serialize(Set<?> set, JsonGenerator json, SerializerProvider provider)
          throws IOException {
        List<JsonNode> elements =
            set.stream()
                .<JsonNode>map(JsonValues.MAPPER::valueToTree)
                .sorted(Comparator.comparing(JsonNode::toString))
                .toList();
        json.writeStartArray(set, elements.size());
        for (JsonNode element : elements) {
          json.writeTree(element);
        }
        json.writeEndArray();
      }
    }
  }
}
