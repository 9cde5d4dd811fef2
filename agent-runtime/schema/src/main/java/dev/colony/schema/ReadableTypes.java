package dev.colony.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
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

/**
 * The Java types that are read from JSON: values, collections of them, and records of them. A
 * closed list of what the JDK has, since reading some of its types has effects: a class is loaded,
 * a host name is looked up, a file is named.
 */
final class ReadableTypes {

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
