package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Type;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Infers JSON schemas of Java types and holds values against schemas. Found by {@link
 * ServiceLoader}; the runtime brings it. Thread-safe.
 */
public interface JsonSchemaProvider {

  /**
   * The schema of values that are read from JSON as a type. Shared: copy it before changing it.
   *
   * @throws IllegalArgumentException on one line, if values of the type cannot be read from JSON,
   *     or if the schema is too large
   */
  JsonNode input(Type type);

  /**
   * The schema of values of a type that are written as JSON. Shared: copy it before changing it.
   *
   * @throws IllegalArgumentException if the schema is too large
   */
  JsonNode output(Type type);

  /**
   * What is wrong with a value, one line each; empty if nothing is. The schema is compiled for each
   * call.
   *
   * @throws IllegalArgumentException on one line, if it is not a schema
   */
  List<String> violations(JsonNode schema, JsonNode value);

  /**
   * Refuses what is not a schema.
   *
   * @throws IllegalArgumentException on one line that says why
   */
  void check(JsonNode schema);

  /**
   * The one that is installed.
   *
   * @throws IllegalStateException if none is on the class path
   */
  static JsonSchemaProvider installed() {
    final class Installed {
      private static final JsonSchemaProvider ONE =
          ServiceLoader.load(JsonSchemaProvider.class, JsonSchemaProvider.class.getClassLoader())
              .findFirst()
              .orElseThrow(() ->
                  new IllegalStateException(
                      "JSON schemas cannot be inferred here: add the module agent-schema to the"
                          + " class path"));
    }
    return Installed.ONE;
  }
}
