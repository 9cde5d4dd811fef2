package dev.colony.core.serialization;

import com.fasterxml.jackson.annotation.JsonTypeName;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The stable names of types, as {@link JsonTypeName} gives them: of a sealed interface those of its
 * records, of a record its own. Immutable.
 */
public final class TypeNames {

  private static final Pattern NAME = Pattern.compile("[a-z]+(-[a-z]+)*");

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
    JsonTypeName given = type.getAnnotation(JsonTypeName.class);
    if (given == null || !NAME.matcher(given.value()).matches()) {
      throw new IllegalArgumentException(
          type.getName() + " needs a @JsonTypeName of lower case words with hyphens between them");
    }
    return given.value();
  }
}
