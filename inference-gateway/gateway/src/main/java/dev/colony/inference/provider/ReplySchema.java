package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaException;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.resource.AllowSchemaLoader;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * Holds values against a JSON schema (draft 2020-12). Whoever takes schemas from others has checked
 * them; a program that asks the gateway itself may give one that never ends, which is said of the
 * value. Nothing is ever fetched. A pattern that Java cannot read is left to the model's server.
 */
final class ReplySchema {

  /** Where the library carries the draft's metaschemas. */
  private static final String METASCHEMAS = "classpath:draft/2020-12/";

  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(
          VersionFlag.V202012,
          builder ->
              builder.schemaLoaders(loaders ->
                  loaders.add(
                      new AllowSchemaLoader(iri -> iri.toString().startsWith(METASCHEMAS)))));
  private static final SchemaValidatorsConfig CONFIG =
      SchemaValidatorsConfig.builder()
          .preloadJsonSchema(false)
          .pathType(PathType.JSON_PATH)
          .regularExpressionFactory(ReplySchema::pattern)
          .build();
  private static final int SHOWN_ERRORS = 5;

  private final JsonNode schema;

  ReplySchema(JsonNode schema) {
    this.schema = schema;
  }

  /** What is wrong with a value, on one line; empty if nothing is. */
  Optional<String> errors(JsonNode value) {
    try {
      JsonSchema compiled = FACTORY.getSchema(schema, CONFIG);
      String errors =
          compiled.validate(value).stream()
              .map(this::said)
              .sorted()
              .limit(SHOWN_ERRORS)
              .collect(Collectors.joining("; "));
      return errors.isEmpty() ? Optional.empty() : Optional.of(HttpExchanges.oneLine(errors));
    } catch (JsonSchemaException unfit) {
      return Optional.of(
          HttpExchanges.oneLine("it cannot be held against its schema: " + unfit.getMessage()));
    } catch (StackOverflowError endless) {
      return Optional.of(
          "it cannot be held against its schema, which refers to itself without end");
    }
  }

  /** Of a field that there may not be, the model is told which there are. */
  private String said(ValidationMessage wrong) {
    if (!"additionalProperties".equals(wrong.getType())) {
      return wrong.getMessage();
    }
    String keyword = wrong.getSchemaLocation().getFragment().toString();
    JsonNode fields =
        schema.at(keyword.substring(0, Math.max(0, keyword.lastIndexOf('/')))).path("properties");
    String known =
        fields.properties().stream().map(Map.Entry::getKey).collect(Collectors.joining(", "));
    return "%s: unknown field `%s`; %s"
        .formatted(
            wrong.getInstanceLocation(),
            wrong.getProperty(),
            known.isEmpty() ? "it has no fields" : "it has the fields " + known);
  }

  private static RegularExpression pattern(String regex) {
    try {
      Pattern pattern = Pattern.compile(regex);
      return text -> pattern.matcher(text).find();
    } catch (PatternSyntaxException unread) {
      return text -> true;
    }
  }

  /** A copy of a schema that moves from the root to another place: its pointers move along. */
  static JsonNode moved(String to, JsonNode schema) {
    return move(to, schema.deepCopy());
  }

  private static JsonNode move(String to, JsonNode schema) {
    if (schema instanceof ObjectNode object) {
      object
          .properties()
          .forEach(one -> {
            String target = one.getValue().asText("");
            if (one.getKey().equals("$ref") && (target.equals("#") || target.startsWith("#/"))) {
              one.setValue(JsonNodeFactory.instance.textNode("#" + to + target.substring(1)));
            } else {
              move(to, one.getValue());
            }
          });
    } else {
      schema.forEach(one -> move(to, one));
    }
    return schema;
  }
}
