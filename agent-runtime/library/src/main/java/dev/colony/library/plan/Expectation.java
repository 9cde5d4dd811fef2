package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.schema.JsonSchemaCheck;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a planner expects of an action's output. The words are for the planner itself, which is
 * shown them beside what came when it revises; the rest is held without asking a model.
 *
 * @param words a sentence; empty for none
 * @param schema JSON schema that the output satisfies
 * @param equal values by where they stand in the output, fields and element numbers joined by dots
 */
public record Expectation(String words, Optional<JsonNode> schema, Map<String, JsonNode> equal) {

  public static final Expectation NONE = new Expectation("", Optional.empty(), Map.of());

  public Expectation {
    Objects.requireNonNull(words, "words");
    // What is absent is read as JSON null.
    schema = schema.filter(json -> !json.isNull());
    equal = Map.copyOf(equal);
  }

  /**
   * What of an output is not as expected, on one line; empty if nothing is, or nothing was said
   * that can be held.
   *
   * @throws IllegalArgumentException if the schema is none
   */
  public Optional<String> deviation(JsonNode output) {
    if (schema.isPresent()) {
      List<String> wrong = JsonSchemaCheck.of(schema.get()).violations(output);
      if (!wrong.isEmpty()) {
        return Optional.of(String.join("; ", wrong));
      }
    }
    for (Map.Entry<String, JsonNode> one : new TreeMap<>(equal).entrySet()) {
      JsonNode found = at(output, one.getKey());
      if (!same(found, one.getValue())) {
        return Optional.of(
            "%s is %s, not %s"
                .formatted(
                    one.getKey().isEmpty() ? "the output" : one.getKey(),
                    found.isMissingNode() ? "missing" : found,
                    one.getValue()));
      }
    }
    return Optional.empty();
  }

  /** Whether anything can be held without asking a model. */
  public boolean checkable() {
    return schema.isPresent() || !equal.isEmpty();
  }

  /** Numbers by their value: models write 3 for 3.0. */
  private static boolean same(JsonNode left, JsonNode right) {
    return left.isNumber() && right.isNumber()
        ? left.decimalValue().compareTo(right.decimalValue()) == 0
        : left.equals(right);
  }

  private static JsonNode at(JsonNode value, String path) {
    JsonNode at = value;
    if (path.isEmpty()) {
      return at;
    }
    for (String step : path.split("\\.", -1)) {
      at =
          at.isArray() && step.matches("\\d{1,9}")
              ? at.path(Integer.parseInt(step))
              : at.path(step);
    }
    return at;
  }
}
