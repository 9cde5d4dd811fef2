package dev.colony.blackboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.ValidationMessage;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.value.CompiledSchema;
import dev.colony.blackboard.value.Text;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which JSON Schemas (draft 2020-12) the values satisfy: that of every pattern that the key
 * matches. Other keys take any value. A schema is compiled once; it may refer to itself and to the
 * metaschemas, nothing is ever fetched. {@code format} is a note, as the draft has it.
 */
public final class ValueSchemas implements ValidationPolicy {

  private record Rule(KeyGlob keys, CompiledSchema schema) {}

  private final List<Rule> rules;

  private ValueSchemas(List<Rule> rules) {
    this.rules = rules;
  }

  public static ValueSchemas none() {
    return new ValueSchemas(List.of());
  }

  /**
   * These, and the values of keys that match satisfy the schema.
   *
   * @throws IllegalArgumentException naming the keys, if {@link CompiledSchema#of} refuses the
   *     schema
   */
  public ValueSchemas with(String keys, JsonNode schema) {
    Rule rule = new Rule(new KeyGlob(keys), compiled(keys, schema));
    return new ValueSchemas(Stream.concat(rules.stream(), Stream.of(rule)).toList());
  }

  private static CompiledSchema compiled(String keys, JsonNode schema) {
    try {
      return CompiledSchema.of(schema, false);
    } catch (IllegalArgumentException refused) {
      throw new IllegalArgumentException(
          "the schema for \"%s\" is refused: %s".formatted(keys, refused.getMessage()), refused);
    }
  }

  @Override
  public Optional<String> violation(Write write) {
    return rules.stream()
        .filter(rule -> rule.keys().matches(write.key()))
        .map(rule -> wrong(rule.schema(), write.value()))
        .filter(wrong -> !wrong.isEmpty())
        .findFirst();
  }

  private static String wrong(CompiledSchema schema, JsonNode value) {
    try {
      String wrong =
          schema.validate(value).stream()
              .map(ValidationMessage::getMessage)
              .sorted()
              .collect(Collectors.joining("; "));
      return wrong.isEmpty() ? "" : Text.message(wrong);
    } catch (IllegalArgumentException deep) {
      return deep.getMessage();
    }
  }
}
