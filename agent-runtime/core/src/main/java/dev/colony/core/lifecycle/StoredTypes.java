package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What is journaled, as CBOR under the names that {@link JsonTypeName} gives, so that classes may
 * move and be renamed. Thread-safe.
 */
public final class StoredTypes {

  /** Stored with each event and snapshot. */
  public static final int SERIALIZER = 7_301;

  private static final ObjectMapper CBOR = mapper();

  private static final TypeNames NAMES =
      new TypeNames(List.of(AgentEvent.class, AgentSnapshot.class));

  private StoredTypes() {}

  private static ObjectMapper mapper() {
    ObjectMapper cbor = new ObjectMapper(new CBORFactory());
    cbor.registerModule(new Jdk8Module());
    cbor.registerModule(new JavaTimeModule());
    cbor.setVisibility(PropertyAccessor.FIELD, Visibility.ANY);
    cbor.disable(
        SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
        SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS,
        SerializationFeature.FAIL_ON_EMPTY_BEANS);
    cbor.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    return cbor;
  }

  public static boolean stored(Class<?> type) {
    return AgentEvent.class.isAssignableFrom(type) || AgentSnapshot.class.isAssignableFrom(type);
  }

  /** The form of what is journaled. */
  public static ObjectMapper cbor() {
    return CBOR;
  }

  /** The names of all that is journaled. */
  public static Set<String> names() {
    return NAMES.all().keySet();
  }

  /**
   * An event or a snapshot again.
   *
   * @param serializer the identifier of the serializer that wrote it
   * @param manifest the name of its type
   * @throws IOException if another serializer wrote it, no type of this build has that name, or the
   *     bytes are not of it
   */
  public static Object read(int serializer, String manifest, byte[] payload) throws IOException {
    if (serializer != SERIALIZER) {
      throw new IOException("serializer " + serializer + " wrote it, known is " + SERIALIZER);
    }
    Class<?> type =
        NAMES
            .type(manifest)
            .orElseThrow(() -> new IOException("this build knows no '" + manifest + "'"));
    return CBOR.readerFor(type).readValue(payload);
  }

  /**
   * The stable names of types, as {@link JsonTypeName} gives them: of a sealed interface those of
   * its records, of a record its own. Immutable.
   */
  public static final class TypeNames {

    private static final Pattern NAME = Pattern.compile("[a-z]+(-[a-z]+)*");

    private static final ClassValue<String> GIVEN =
        new ClassValue<>() {
          @Override
          protected String computeValue(Class<?> type) {
            return given(type);
          }
        };

    private final Map<String, Class<?>> types = new LinkedHashMap<>();

    /**
     * @throws IllegalArgumentException if a type has no name, one that is not lower case with
     *     hyphens, or one that another has
     */
    public TypeNames(Collection<Class<?>> roots) {
      roots.forEach(this::add);
    }

    private void add(Class<?> type) {
      if (type.isSealed()) {
        for (Class<?> permitted : type.getPermittedSubclasses()) {
          add(permitted);
        }
        return;
      }
      String name = of(type);
      Class<?> before = types.put(name, type);
      if (before != null && before != type) {
        throw new IllegalArgumentException(
            "%s and %s have one name, %s".formatted(before.getName(), type.getName(), name));
      }
    }

    /** The types by their names, in their order. */
    public Map<String, Class<?>> all() {
      return types;
    }

    /** Of that name, if there is one. */
    public Optional<Class<?>> type(String name) {
      return Optional.ofNullable(types.get(name));
    }

    /**
     * The stable name of a type.
     *
     * @throws IllegalArgumentException if it has none
     */
    public static String of(Class<?> type) {
      return GIVEN.get(type);
    }

    private static String given(Class<?> type) {
      JsonTypeName given = type.getAnnotation(JsonTypeName.class);
      if (given == null || !NAME.matcher(given.value()).matches()) {
        throw new IllegalArgumentException(
            type.getName()
                + " needs a @JsonTypeName of lower case words with hyphens between them");
      }
      return given.value();
    }
  }
}
