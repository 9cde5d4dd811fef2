package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;

/** Brings the arguments of an older version of a type to the next version. Pure. */
@FunctionalInterface
public interface Upcaster {

  /**
   * @param version of the arguments, at least 1 and less than the type's
   * @return the arguments as version {@code version + 1} has them
   * @throws IllegalArgumentException if that version is no longer understood
   */
  JsonNode upcast(int version, JsonNode args);
}
