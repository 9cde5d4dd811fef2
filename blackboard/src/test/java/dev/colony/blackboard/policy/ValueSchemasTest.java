package dev.colony.blackboard.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Write;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValueSchemasTest {

  private static final JsonNode FINDING =
      json(
          """
          {"type": "object",
           "properties": {"rule": {"type": "string"}, "line": {"$ref": "#/$defs/line"}},
           "required": ["rule", "line"], "additionalProperties": false,
           "$defs": {"line": {"type": "integer", "minimum": 1}}}
          """);

  private final ValueSchemas schemas = ValueSchemas.none().with("finding:*", FINDING);

  @Test
  void valuesThatSatisfyItAndOtherKeysPass() {
    assertThat(violation("finding:1", Map.of("rule", "owasp", "line", 3))).isEmpty();
    assertThat(violation("note", "anything")).isEmpty();
  }

  @Test
  void othersAreRefusedInOneLineThatNamesTheProperties() {
    assertThat(violation("finding:1", Map.of("line", 0, "file", "A.java")))
        .hasValueSatisfying(why ->
            assertThat(why)
                .contains("'rule'")
                .contains("$.line")
                .contains("'file'")
                .doesNotContain("\n"));
  }

  @Test
  void manyThreadsMayAskAtOnce() {
    assertThat(
            IntStream.range(0, 2_000)
                .parallel()
                .filter(
                    line -> violation("finding:1", Map.of("rule", "x", "line", line)).isPresent())
                .count())
        .isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\": \"strang\"}",
        "{\"minimum\": \"one\"}",
        "{\"$ref\": \"#/$defs/missing\"}",
        "{\"$ref\": \"http://127.0.0.1:1/schema\"}",
        "{\"$ref\": \"file:///etc/hostname\"}",
        "{\"$ref\": \"classpath:logback-test.xml\"}",
        "{\"pattern\": \"(\"}",
        "[1]"
      })
  void whatIsNoSchemaIsRefusedWhenThePolicyIsMade(String schema) {
    assertThatThrownBy(() -> ValueSchemas.none().with("finding:*", json(schema)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the schema for \"finding:*\" is refused: ")
        .hasMessageNotContaining("\n");
  }

  @Test
  void aSchemaMayReferToTheMetaschema() {
    ValueSchemas ofSchemas =
        ValueSchemas.none()
            .with("*", json("{\"$ref\": \"https://json-schema.org/draft/2020-12/schema\"}"));
    assertThat(ofSchemas.violation(Write.of("schema", FINDING))).isEmpty();
    assertThat(ofSchemas.violation(Write.value("schema", Map.of("minimum", "one")))).isPresent();
  }

  @Test
  void aSchemaThatIsChangedLaterStaysWhatItWas() {
    ObjectNode schema = (ObjectNode) json("{\"type\": \"integer\"}");
    ValueSchemas policy = ValueSchemas.none().with("*", schema);
    schema.put("type", "string");
    assertThat(policy.violation(Write.value("a", 1))).isEmpty();
    assertThat(policy.violation(Write.value("a", "1"))).isPresent();
  }

  private Optional<String> violation(String key, Object value) {
    return schemas.violation(Write.value(key, value));
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (JsonProcessingException broken) {
      throw new IllegalArgumentException(broken);
    }
  }
}
