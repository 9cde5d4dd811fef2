package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
  void nothingIsFetched(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("schema.json"), "{}");
    AtomicInteger requests = new AtomicInteger();
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(200, 2);
          try (OutputStream body = exchange.getResponseBody()) {
            body.write("{}".getBytes(StandardCharsets.US_ASCII));
          }
        });
    server.start();
    try {
      assertRefused("http://127.0.0.1:" + server.getAddress().getPort() + "/schema.json");
      assertRefused(file.toUri().toString());
    } finally {
      server.stop(0);
    }
    assertThat(requests).hasValue(0);
  }

  private static void assertRefused(String reference) {
    ObjectNode schema = new ObjectMapper().createObjectNode().put("$ref", reference);
    assertThatThrownBy(() -> ValueSchemas.none().with("*", schema))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reference);
  }

  @Test
  void aSchemaThatIsChangedLaterStaysWhatItWas() {
    ObjectNode schema = (ObjectNode) json("{\"const\": {\"n\": 1}}");
    ValueSchemas policy = ValueSchemas.none().with("*", schema);
    ((ObjectNode) schema.path("const")).put("n", 2);
    assertThat(policy.violation(Write.value("a", Map.of("n", 1)))).isEmpty();
    assertThat(policy.violation(Write.value("a", Map.of("n", 2)))).isPresent();
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
