package dev.colony.inference.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Checks replies against a JSON schema (draft 2020-12). */
final class ReplySchema {

  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(VersionFlag.V202012);
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final int SHOWN_ERRORS = 5;

  /** Models without constrained decoding like to wrap JSON in a Markdown fence. */
  private static final Pattern FENCE =
      Pattern.compile("^\\s*```(?:json)?\\s*\\n(.*)\\n\\s*```\\s*$", Pattern.DOTALL);

  private final JsonSchema schema;

  ReplySchema(JsonNode schema) {
    this.schema = FACTORY.getSchema(schema);
  }

  /** The reply's JSON as text, without a Markdown fence around it. */
  static String unfenced(String reply) {
    Matcher fenced = FENCE.matcher(reply);
    return fenced.matches() ? fenced.group(1) : reply;
  }

  /** What is wrong with the reply, on one line; empty if nothing is. */
  Optional<String> errors(String reply) {
    JsonNode node;
    try {
      node = JSON.readTree(reply);
    } catch (JsonProcessingException e) {
      return Optional.of("it is not JSON (" + e.getOriginalMessage() + ")");
    }
    if (node == null || node.isMissingNode()) {
      return Optional.of("it is empty");
    }
    String errors =
        schema.validate(node).stream()
            .map(ValidationMessage::getMessage)
            .sorted()
            .limit(SHOWN_ERRORS)
            .collect(Collectors.joining("; "));
    return errors.isEmpty() ? Optional.empty() : Optional.of(HttpExchanges.oneLine(errors));
  }
}
