package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.server.http.Endpoint.EndpointTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The document and the table of endpoints say the same. */
class OpenApiTest {

  private static final Pattern NAME = Pattern.compile("\\{(\\w+)\\}");
  private static final Set<String> METHODS = Set.of("get", "post", "put", "delete", "patch");

  /** In place of a role; such an operation has no security. */
  private static final String ANYONE = "anyone";

  private final OpenApi document = OpenApi.DOCUMENT;

  static List<Endpoint> endpoints() {
    return HttpApi.table(
            HttpSettings.fromConfig(ConfigFactory.load()),
            HttpSettings.Bounds.USUAL,
            new ApiSources(null, null, null, null, null, null, null, null, null, null),
            ConfigFactory.load())
        .endpoints();
  }

  @Test
  void eachOperationIsServedAsItIsDescribed() {
    Map<String, String> served = new TreeMap<>();
    endpoints()
        .forEach(one ->
            served.put(
                one.verb() + " " + one.path().text(), one.operationId() + " for " + least(one)));
    Map<String, String> described = new TreeMap<>();
    document
        .paths()
        .properties()
        .forEach(path ->
            path.getValue().properties().stream()
                .filter(one -> METHODS.contains(one.getKey()))
                .forEach(one ->
                    described.put(
                        one.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(),
                        one.getValue().path("operationId").asText()
                            + " for "
                            + one.getValue()
                                .path("x-least-role")
                                .asText(one.getValue().path("security").isArray() ? ANYONE : ""))));
    assertThat(described).isEqualTo(served);
    assertThat(new HashSet<>(served.values())).hasSize(served.size());
  }

  @Test
  void aHandlerWithoutAnOperationAndAnOperationWithoutAHandlerAreFaults() {
    Endpoint.Handlers handlers = new Endpoint.Handlers();
    assertThatThrownBy(() -> EndpointTable.of(document.root(), handlers))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has no handler");
    endpoints().forEach(one -> handlers.on(one.operationId(), one.handler()));
    assertThat(EndpointTable.of(document.root(), handlers).endpoints()).hasSameSizeAs(endpoints());
    handlers.on("getNothing", call -> new ApiResponse.Stored());
    assertThatThrownBy(() -> EndpointTable.of(document.root(), handlers))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("getNothing");
  }

  private static String least(Endpoint endpoint) {
    return endpoint.reach() == Endpoint.Reach.ANYONE
        ? ANYONE
        : endpoint.least().name().toLowerCase(Locale.ROOT);
  }

  @Test
  void eachNameOfAPathIsAParameter() {
    document
        .paths()
        .properties()
        .forEach(path -> {
          Matcher names = NAME.matcher(path.getKey());
          Set<String> expected = new HashSet<>();
          while (names.find()) {
            expected.add(names.group(1));
          }
          Set<String> described = new HashSet<>();
          path.getValue()
              .path("parameters")
              .forEach(one -> {
                JsonNode parameter = document.resolve(one);
                assertThat(parameter.path("in").asText()).isEqualTo("path");
                assertThat(parameter.path("required").asBoolean()).isTrue();
                described.add(parameter.path("name").asText());
              });
          assertThat(described).as(path.getKey()).isEqualTo(expected);
        });
  }

  @Test
  void eachParameterOfAQueryIsDescribedAndNoOther() {
    Map<String, Set<String>> taken = new TreeMap<>();
    endpoints().forEach(one -> taken.put(one.operationId(), one.parameters()));
    Map<String, Set<String>> described = new TreeMap<>();
    document
        .paths()
        .forEach(path ->
            path.properties().stream()
                .filter(one -> METHODS.contains(one.getKey()))
                .map(Map.Entry::getValue)
                .forEach(one ->
                    described.put(
                        one.path("operationId").asText(),
                        one.path("parameters")
                            .valueStream()
                            .map(document::resolve)
                            .filter(parameter -> parameter.path("in").asText().equals("query"))
                            .map(parameter -> parameter.path("name").asText())
                            .collect(Collectors.toSet()))));
    assertThat(taken).isEqualTo(described);
  }

  /** Where a field is required, so is the body. */
  @Test
  void eachBodyWithARequiredFieldIsRequired() {
    document
        .paths()
        .forEach(path ->
            path.properties().stream()
                .map(one -> one.getValue().path("requestBody"))
                .filter(body -> body.has("content"))
                .forEach(body -> {
                  JsonNode schema =
                      document.resolve(
                          body.path("content").path("application/json").path("schema"));
                  boolean optional =
                      document
                          .violations(
                              schema,
                              com.fasterxml.jackson.databind.node.JsonNodeFactory.instance
                                  .objectNode())
                          .isEmpty();
                  assertThat(body.path("required").asBoolean())
                      .as(schema.toString())
                      .isEqualTo(!optional);
                }));
  }

  /** With {@code -Dopenapi=write} it is written anew. */
  @Test
  void theDocumentAsJsonSaysTheSame() throws IOException {
    if ("write".equals(System.getProperty("openapi"))) {
      Files.writeString(
          Path.of("src/main/resources/dev/colony/server/http/openapi.json"),
          document.root().toPrettyString() + "\n");
      return;
    }
    assertThat(ApiClient.parse(OpenApiDocument.text("json")))
        .as("openapi.json; -Dopenapi=write writes it from openapi.yaml")
        .isEqualTo(document.root());
  }

  @Test
  void eachReferenceLeadsSomewhere() {
    document
        .root()
        .findValues("$ref")
        .forEach(reference ->
            assertThat(
                    document
                        .resolve(
                            com.fasterxml.jackson.databind.node.JsonNodeFactory.instance
                                .objectNode()
                                .set("$ref", reference))
                        .isMissingNode())
                .as(reference.asText())
                .isFalse());
  }
}
