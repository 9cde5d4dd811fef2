package dev.colony.blackboard.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaException;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaId;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.resource.AllowSchemaLoader;
import dev.colony.blackboard.ValidationPolicy;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.blackboard.value.Text;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which JSON Schemas (draft 2020-12) the values satisfy: that of every pattern that the key
 * matches. Other keys take any value. A schema is compiled once; it may refer to itself and to the
 * metaschemas, nothing is ever fetched. {@code format} is a note, as the draft has it.
 */
public final class ValueSchemas implements ValidationPolicy {

  /** Where the library carries the draft's metaschemas. */
  private static final String METASCHEMAS = "classpath:draft/2020-12/";

  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(
          VersionFlag.V202012,
          builder ->
              builder.schemaLoaders(loaders ->
                  loaders.add(
                      new AllowSchemaLoader(iri -> iri.toString().startsWith(METASCHEMAS)))));

  private static final JsonSchema METASCHEMA =
      FACTORY.getSchema(SchemaLocation.of(SchemaId.V202012));

  private record Rule(KeyGlob keys, JsonSchema schema) {}

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
   * @throws IllegalArgumentException naming the keys, if it is no schema of the draft or refers to
   *     one that is not there
   */
  public ValueSchemas with(String keys, JsonNode schema) {
    Rule rule = new Rule(new KeyGlob(keys), compiled(keys, schema));
    return new ValueSchemas(Stream.concat(rules.stream(), Stream.of(rule)).toList());
  }

  private static JsonSchema compiled(String keys, JsonNode schema) {
    Set<ValidationMessage> wrong = METASCHEMA.validate(schema);
    if (!wrong.isEmpty()) {
      throw refused(keys, described(wrong), null);
    }
    try {
      JsonSchema compiled = FACTORY.getSchema(schema.deepCopy());
      compiled.initializeValidators();
      return compiled;
    } catch (JsonSchemaException failure) {
      throw refused(keys, Text.message(failure.getMessage()), failure);
    }
  }

  private static IllegalArgumentException refused(String keys, String why, Throwable cause) {
    return new IllegalArgumentException(
        "the schema for \"%s\" is refused: %s".formatted(keys, why), cause);
  }

  @Override
  public Optional<String> violation(Write write) {
    return rules.stream()
        .filter(rule -> rule.keys().matches(write.key()))
        .map(rule -> rule.schema().validate(write.value()))
        .filter(wrong -> !wrong.isEmpty())
        .map(ValueSchemas::described)
        .findFirst();
  }

  private static String described(Set<ValidationMessage> wrong) {
    return Text.message(
        wrong.stream()
            .map(ValidationMessage::getMessage)
            .sorted()
            .collect(Collectors.joining("; ")));
  }
}
