package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.colony.agent.author.Param.Range;
import dev.colony.blackboard.value.Text;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * JSON schemas inferred from Java types.
 *
 * <p>A record becomes an object whose components are all required, the optional ones excepted, and
 * which has no others; {@code @JsonValue} types stand as their value; times and durations are ISO
 * 8601 text. Descriptions come from {@link dev.colony.agent.author.Param}, bounds from {@link
 * Range}. A type that occurs more than once, or in itself, stands under {@code $defs}.
 *
 * <p>Thread-safe; inferred once per type. The nodes are shared: copy them before changing them.
 */
public final class JsonSchemas {

  /** A schema stands in every prompt that offers it. */
  public static final int MAX_BYTES = 32 * 1024;

  /** Held by the class, so that a class that is unloaded takes its schemas along. */
  private static final ClassValue<Map<String, JsonNode>> INFERRED =
      new ClassValue<>() {
        @Override
        protected Map<String, JsonNode> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  private JsonSchemas() {}

  /**
   * Of values that are read from JSON.
   *
   * @throws IllegalArgumentException on one line, if values of the type, or of a type in it, cannot
   *     be read from JSON, or if the schema is larger than {@value #MAX_BYTES} bytes
   */
  public static JsonNode input(Type type) {
    return inferred("in ", type, SchemaInference.READ);
  }

  /**
   * Of values that are written as JSON; of an asynchronous value, what it completes with.
   *
   * @throws IllegalArgumentException if the schema is larger than {@value #MAX_BYTES} bytes
   */
  public static JsonNode output(Type type) {
    return inferred("out ", type, SchemaInference.WRITTEN);
  }

  private static JsonNode inferred(String way, Type type, SchemaInference inference) {
    Class<?> raw = TypeFactory.rawClass(type);
    Map<String, JsonNode> cached = INFERRED.get(raw);
    String key = way + type.getTypeName();
    JsonNode known = cached.get(key);
    if (known != null) {
      return known;
    }
    ObjectNode schema = bounded(type.getTypeName(), () -> inference.of(type));
    JsonNode first = cached.putIfAbsent(key, schema);
    return first == null ? schema : first;
  }

  /** A schema that is not too large, or the reason on one line. */
  static ObjectNode bounded(String what, Supplier<ObjectNode> inference) {
    ObjectNode schema;
    try {
      schema = inference.get();
    } catch (IllegalArgumentException refused) {
      throw new IllegalArgumentException(
          "no schema for " + what + ": " + Text.message(refused), refused);
    }
    int size = schema.toString().getBytes(StandardCharsets.UTF_8).length;
    if (size > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the schema for " + what + " is " + size + " bytes, more than " + MAX_BYTES);
    }
    return schema;
  }

  /**
   * The Java types that are read from JSON: values, collections of them, and records of them. A
   * closed list of what the JDK has, since reading some of its types has effects: a class is
   * loaded, a host name is looked up, a file is named.
   */
  static final class ReadableTypes {

    private static final Set<Class<?>> OF_THE_JDK =
        Set.of(
            Object.class,
            String.class,
            Character.class,
            Boolean.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigDecimal.class,
            BigInteger.class,
            UUID.class,
            URI.class,
            Optional.class,
            OptionalInt.class,
            OptionalLong.class,
            OptionalDouble.class,
            Collection.class,
            List.class,
            Set.class,
            SortedSet.class,
            Map.class,
            SortedMap.class);

    private ReadableTypes() {}

    /** Whether a type is one; what its components and elements are is another question. */
    static boolean includes(Class<?> type) {
      if (type.getName().startsWith("java.") || type.getName().startsWith("javax.")) {
        return OF_THE_JDK.contains(type) || type.getPackageName().equals("java.time");
      }
      return type.isPrimitive()
          || type.isArray()
          || type.isRecord()
          || type.isEnum()
          || JsonNode.class.isAssignableFrom(type);
    }

    /**
     * Refuses a type that is none.
     *
     * @throws IllegalArgumentException naming it
     */
    static void check(Class<?> type) {
      if (!includes(type)) {
        throw new IllegalArgumentException(
            type.getTypeName()
                + " cannot be read from JSON: use a record, an enum, text, a number, a time, or a"
                + " list, set or map of these");
      }
    }
  }
}
