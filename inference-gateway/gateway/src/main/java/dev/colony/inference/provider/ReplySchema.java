package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Holds values against a JSON schema (draft 2020-12). */
final class ReplySchema {

  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(VersionFlag.V202012);
  private static final int SHOWN_ERRORS = 5;

  private final JsonSchema schema;

  ReplySchema(JsonNode schema) {
    this.schema = FACTORY.getSchema(schema);
  }

  /** What is wrong with a value, on one line; empty if nothing is. */
  Optional<String> errors(JsonNode value) {
    String errors =
        schema.validate(value).stream()
            .map(this::said)
            .sorted()
            .limit(SHOWN_ERRORS)
            .collect(Collectors.joining("; "));
    return errors.isEmpty() ? Optional.empty() : Optional.of(HttpExchanges.oneLine(errors));
  }

  /** Of a field that there may not be, the model is told which there are. */
  private String said(ValidationMessage wrong) {
    if (!"additionalProperties".equals(wrong.getType())) {
      return wrong.getMessage();
    }
    String keyword = wrong.getSchemaLocation().getFragment().toString();
    JsonNode fields =
        schema
            .getSchemaNode()
            .at(keyword.substring(0, Math.max(0, keyword.lastIndexOf('/'))))
            .path("properties");
    String known =
        fields.properties().stream().map(Map.Entry::getKey).collect(Collectors.joining(", "));
    return "%s: unknown field `%s`; %s"
        .formatted(
            wrong.getInstanceLocation(),
            wrong.getProperty(),
            known.isEmpty() ? "it has no fields" : "it has the fields " + known);
  }
}
