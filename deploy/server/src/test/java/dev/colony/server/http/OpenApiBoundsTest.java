package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.server.http.Problems.ErrorForm;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The server refuses what the document does not allow, and nothing else: each parameter with many
 * values. {@link OpenApiBodiesTest} does the same for bodies.
 */
class OpenApiBoundsTest extends ServedApi {

  /** Values of which some are right for each text. */
  private static final List<String> TEXTS =
      Stream.concat(
              Stream.of(128, 129, 1020, 1021, 1024, 1025).map("a"::repeat),
              Stream.of(
                  "a",
                  " ",
                  "a b",
                  "a+b",
                  "ä",
                  "~._-",
                  "a:b",
                  "*",
                  "a?",
                  "/a",
                  "a/b",
                  "a/b/c",
                  "acme/billing/x",
                  "a//b",
                  "a\nb",
                  "a\u0000",
                  "\u0085b",
                  "tenant:acme",
                  "tenant:",
                  "tenant:acme:colony:billing",
                  "tenant:acme:agent:x",
                  "tenant:acme:namespace:n",
                  "tenant:acme:colony:billing:agent:x:namespace:n",
                  "colony:billing",
                  "tenant:acme:colony:billing:session:s",
                  "0-0",
                  "17-5-3",
                  "1-2-3-4",
                  "999999-1",
                  "1000000-1",
                  "1-",
                  "-1",
                  "0",
                  "1",
                  "12@run",
                  "@run",
                  "12@",
                  "now",
                  "beginning",
                  "aaaaaaaaaaaaaaaaaaaaaaaaaa",
                  "aaaaaaaaaaaaaaaaaaaaaaaaa",
                  "run",
                  "work",
                  "agent",
                  "session",
                  "open",
                  "running",
                  "true",
                  "false",
                  "RESIDENT",
                  "SUSPENDED",
                  "STORE"))
          .toList();

  private static final List<String> NUMBERS =
      List.of(
          "-1",
          "0",
          "1",
          "30",
          "31",
          "1000",
          "1001",
          "3600",
          "3601",
          "604800",
          "604801",
          "2147483647",
          "2147483648",
          "999999999999999999",
          "1000000000000000000",
          "1.5",
          "x");

  /** Right values of what a path has to name. */
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("tenant", ApiRig.TENANT),
          Map.entry("colony", "billing"),
          Map.entry("agent", "x"),
          Map.entry("run", "r"),
          Map.entry("letter", "0-1"),
          Map.entry("page", "a".repeat(26)),
          Map.entry("map", "m"),
          Map.entry("session", "s"),
          Map.entry("request", "q"),
          Map.entry("name", "n"),
          Map.entry("sequenceNr", "1"),
          Map.entry("namespace", "work"),
          Map.entry("scope", "tenant:acme"));

  private final OpenApi document = OpenApi.DOCUMENT;

  @Override
  Map<String, ?> settings() {
    return Map.of("rate.per-second", 1_000_000, "rate.burst", 1_000_000);
  }

  @Test
  void parametersAreRefusedAsTheDocumentSays() {
    List<String> wrong = new ArrayList<>();
    Map<JsonNode, String> looked = new LinkedHashMap<>();
    for (Endpoint endpoint : OpenApiTest.endpoints()) {
      List<String> segments = List.of(endpoint.path().text().substring(1).split("/"));
      if (ErrorForm.of(segments) != ErrorForm.PROBLEM) {
        continue;
      }
      JsonNode path = document.paths().path(endpoint.path().text());
      JsonNode operation = path.path(endpoint.verb().name().toLowerCase(java.util.Locale.ROOT));
      List<JsonNode> parameters =
          Stream.concat(
                  path.path("parameters").valueStream(), operation.path("parameters").valueStream())
              .map(document::resolve)
              .toList();
      for (JsonNode parameter : parameters) {
        if (looked.putIfAbsent(parameter, endpoint.operationId()) == null) {
          samples(parameter.path("schema"))
              .filter(sample -> !parameter.path("in").asText().equals("header"))
              .filter(sample -> !inOtherCase(parameter, sample))
              .filter(sample ->
                  allowed(parameter, sample) == refused(endpoint, parameters, parameter, sample))
              .forEach(sample ->
                  wrong.add(
                      "%s: %s = %s, which the document %s"
                          .formatted(
                              endpoint.operationId(),
                              parameter.path("name").asText(),
                              sample,
                              allowed(parameter, sample) ? "allows" : "does not allow")));
        }
      }
    }
    assertThat(looked).hasSizeGreaterThan(35);
    assertThat(wrong).isEmpty();
  }

  /** Words are taken in any case, and the document has one. */
  private boolean inOtherCase(JsonNode parameter, String sample) {
    return document
        .resolve(parameter.path("schema"))
        .path("enum")
        .valueStream()
        .anyMatch(word -> word.asText().equalsIgnoreCase(sample) && !word.asText().equals(sample));
  }

  private Stream<String> samples(JsonNode schema) {
    return document.resolve(schema).path("type").asText().equals("integer")
        ? NUMBERS.stream()
        : TEXTS.stream();
  }

  private boolean allowed(JsonNode parameter, String sample) {
    JsonNode schema = document.resolve(parameter.path("schema"));
    JsonNodeFactory json = JsonNodeFactory.instance;
    JsonNode value =
        switch (schema.path("type").asText()) {
          case "integer" ->
              sample.matches("-?\\d+")
                  ? json.numberNode(Long.parseLong(sample))
                  : json.textNode(sample);
          case "boolean" ->
              sample.matches("true|false")
                  ? json.booleanNode(Boolean.parseBoolean(sample))
                  : json.textNode(sample);
          case "array" -> json.arrayNode().add(sample);
          default -> json.textNode(sample);
        };
    return document.violations(schema, value).isEmpty();
  }

  /** As a request without a body: what it answers has no end, or is long. */
  private boolean refused(
      Endpoint endpoint, List<JsonNode> parameters, JsonNode tried, String sample) {
    String path = endpoint.path().text();
    List<String> query = new ArrayList<>();
    for (JsonNode parameter : parameters) {
      String name = parameter.path("name").asText();
      String value = encoded(parameter.equals(tried) ? sample : NAMES.getOrDefault(name, ""));
      if (parameter.path("in").asText().equals("path")) {
        path = path.replace("{" + name + "}", value);
      } else if (parameter.equals(tried) || parameter.path("required").asBoolean()) {
        query.add(name + "=" + value);
      }
    }
    String uri = query.isEmpty() ? path : path + "?" + String.join("&", query);
    boolean get = endpoint.verb() == Endpoint.Verb.GET;
    String body =
        switch (endpoint.operationId()) {
          case "answerRequest" -> "{\"granted\": true, \"by\": \"ann\"}";
          case "forkAgent" -> "{\"sequenceNr\": 1, \"name\": \"f\"}";
          default -> "";
        };
    return client
            .send(
                get ? "HEAD" : endpoint.verb().name(),
                uri,
                body,
                body.isEmpty() ? Map.of() : Map.of("Content-Type", "application/json"))
            .status()
        == 400;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Test
  void theBoundsOfTheNodeAreThoseOfTheDocumentThatItHandsOut() {
    try (HttpApi other =
        rig.start(
            dev.colony.server.Authenticator.AccessSettings.OPEN,
            Map.of("page", 250, "request.held", "7s", "openai.pages", 9))) {
      for (String form : List.of("yaml", "json")) {
        JsonNode root = OpenApi.read(ApiClient.of(other).get("/v1/openapi." + form).is(200).text());
        assertThat(root.at("/components/parameters/limit/schema/maximum").asInt()).isEqualTo(250);
        assertThat(root.at("/components/parameters/wait/schema/maximum").asInt()).isEqualTo(7);
        assertThat(root.at("/components/schemas/OpenAiExtension/properties/pages/maxItems").asInt())
            .isEqualTo(9);
        assertThat(root.path("security")).as("without keys").isEmpty();
      }
    }
  }
}
