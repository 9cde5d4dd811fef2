package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.server.http.ApiClient.Reply;
import dev.colony.server.http.Endpoint.PathTemplate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The OpenAPI document, and what it says of answers. */
final class OpenApi {

  static final OpenApi DOCUMENT = new OpenApi();

  private static final String SCHEMAS = "#/components/schemas/";

  private final JsonNode root;
  private final Map<JsonNode, JsonSchemaCheck> checks = new ConcurrentHashMap<>();

  private OpenApi() {
    root = read(OpenApiDocument.text("yaml"));
  }

  /** YAML, or JSON, which is YAML. */
  static JsonNode read(String document) {
    try {
      return new YAMLMapper().readTree(document);
    } catch (IOException malformed) {
      throw new UncheckedIOException(malformed);
    }
  }

  JsonNode root() {
    return root;
  }

  JsonNode paths() {
    return root.path("paths");
  }

  JsonNode schemas() {
    return root.path("components").path("schemas");
  }

  /** What a reference names; the node itself where it is none. */
  JsonNode resolve(JsonNode node) {
    return node.has("$ref") ? root.at(node.get("$ref").asText().substring(1)) : node;
  }

  /** That the document knows such an answer to such a request; what no operation takes is free. */
  void check(String method, String path, Reply reply) {
    Optional<JsonNode> operation = operation(method, path);
    if (operation.isEmpty()) {
      return;
    }
    String id = operation.get().path("operationId").asText();
    JsonNode answer =
        resolve(operation.get().path("responses").path(Integer.toString(reply.status())));
    assertThat(answer.isMissingNode()).as("%s answers %s", id, reply).isFalse();
    if (!answer.has("content")) {
      assertThat(reply.text()).as(id).isEmpty();
      return;
    }
    String type = reply.headers().get("content-type");
    Map.Entry<String, JsonNode> content =
        answer.path("content").properties().stream()
            .filter(one -> type.startsWith(one.getKey()))
            .findFirst()
            .orElseThrow(() -> new AssertionError("%s answers %s".formatted(id, type)));
    if (content.getKey().endsWith("json")) {
      assertThat(violations(content.getValue().path("schema"), reply.json()))
          .as("%s answers %s", id, reply.text())
          .isEmpty();
    }
  }

  List<String> violations(JsonNode schema, JsonNode value) {
    return checks.computeIfAbsent(schema, this::compiled).violations(value);
  }

  /** A schema stands alone: what it refers to goes along. */
  private JsonSchemaCheck compiled(JsonNode schema) {
    ObjectNode whole = JsonNodeFactory.instance.objectNode();
    whole.setAll((ObjectNode) schema.deepCopy());
    whole.set("$defs", schemas());
    return JsonSchemaCheck.of(ApiClient.parse(whole.toString().replace(SCHEMAS, "#/$defs/")));
  }

  private Optional<JsonNode> operation(String method, String path) {
    List<String> segments = List.of(path.replaceFirst("\\?.*", "").substring(1).split("/", -1));
    return paths().properties().stream()
        .filter(one -> new PathTemplate(one.getKey()).match(segments).isPresent())
        .map(one -> one.getValue().path(method.toLowerCase(java.util.Locale.ROOT)))
        .filter(found -> !found.isMissingNode())
        .findFirst();
  }
}
