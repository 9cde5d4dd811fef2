package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.RunOptions;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.blackboard.Scope;
import dev.colony.client.RunPlace;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.RunRequestBody;
import dev.colony.server.openai.ChatCompletionsRequest;
import dev.colony.server.openai.CompletionCall;
import dev.colony.server.openai.OpenAiError;
import dev.colony.server.openai.ResponsesRequest;
import dev.colony.vcm.PageId;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The server refuses what the document does not allow, and nothing else: each parameter with many
 * values, and each field of the bodies.
 */
class OpenApiBoundsTest extends ServedApi {

  private static final int PAGES = 256;

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

  private static final AgentId AGENT = new AgentId(ApiRig.TENANT, "billing", "x");

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
      if (OpenAiEndpoints.serve(List.of(endpoint.path().text().substring(1).split("/")))
          || endpoint.operationId().equals("mcp")) {
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
            dev.colony.server.access.AccessSettings.OPEN,
            Map.of("page", 250, "request.wait", "7s", "openai.pages", 9))) {
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

  @Test
  void bodiesAreRefusedAsTheDocumentSays() {
    List<String> wrong = new ArrayList<>();
    wrong.addAll(
        differences(
            "SpawnRequest",
            json -> new AgentId("t", "c", RequestBody.read(json, RequestBody.Spawn.class).name()),
            """
            {"name": "a", "blueprint": %s}
            """
                .formatted(BLUEPRINT)));
    wrong.addAll(differences("AgentBlueprint", AgentBlueprint::fromJson, BLUEPRINT));
    wrong.addAll(differences("AgentBlueprint", AgentBlueprint::fromJson, TAGGED));
    wrong.addAll(
        differences(
            "BlueprintChange",
            BlueprintChange::fromJson,
            """
            {"blueprint": {"policy": {"type": "t"}}, "added": [{"type": "t"}], "removed": ["k"]}
            """));
    for (String only : List.of("{\"added\": [{\"type\": \"t\"}]}", "{\"removed\": [\"k\"]}")) {
      wrong.addAll(differences("BlueprintChange", BlueprintChange::fromJson, only));
    }
    wrong.addAll(
        differences(
            "ApprovalRequest",
            one(RequestBody.Approval.class),
            "{\"granted\": true, \"by\": \"ann\", \"note\": \"\"}"));
    wrong.addAll(
        differences(
            "CancelRequest",
            one(RequestBody.Cancel.class),
            "{\"reason\": \"\", \"requestedBy\": \"ann\"}"));
    wrong.addAll(
        differences(
            "CloseRequest", one(RequestBody.Close.class), "{\"reason\": \"\", \"by\": \"ann\"}"));
    for (String asked : List.of(ASKED, WORK, SESSION)) {
      wrong.addAll(differences("RunRequestBody", OpenApiBoundsTest::placed, asked));
    }
    for (String condition : CONDITIONS) {
      wrong.addAll(differences("ResumptionCondition", ResumptionCondition::given, condition));
    }
    for (String chat : CHATS) {
      wrong.addAll(
          differences(
              "ChatCompletionRequest",
              json -> named(ChatCompletionsRequest.parse(json, 10, PAGES)),
              chat));
    }
    for (String response : RESPONSES) {
      wrong.addAll(
          differences(
              "ResponseRequest", json -> named(ResponsesRequest.parse(json, 10, PAGES)), response));
    }
    assertThat(wrong).isEmpty();
  }

  private static final String BLUEPRINT =
      """
      {"kind": "VCM_BOUND", "policy": {"type": "t", "version": 1, "args": {"a": [1]}},
       "capabilities": [{"type": "t", "version": 1, "args": {}, "key": "k", "scope": "tenant:acme",
         "namespace": "n", "includeActions": ["a"], "excludeActions": ["a"],
         "approveActions": ["a"]}],
       "streams": [{"name": "s", "formatter": {"type": "f"}, "filters": {"event": {"type": "e"}},
         "maxEntries": 3}],
       "pages": "aaaaaaaaaaaaaaaaaaaaaaaaaa",
       "budget": {"iterations": 1, "time": "PT5M", "tokens": 1, "cost": "1.5", "whenSpent": "FAIL"},
       "resources": {"priority": 1, "expectedTokens": 1, "concurrency": 1},
       "model": {"name": "m"}}
      """;

  private static final String TAGGED =
      "{\"policy\": {\"type\": \"t\"}, \"model\": {\"tags\": [\"fast\"]}}";

  private static final String ASKED =
      """
      {"input": 1, "namespace": "n", "protocol": "run", "scope": "agent", "runId": "r",
       "sessionId": "s", "requestedBy": "ann",
       "caller": {"runId": "r", "trace": "t", "sessionId": "s"}}
      """;
  private static final String WORK =
      "{\"input\": 1, \"namespace\": \"n\", \"protocol\": \"work\", \"scope\": \"colony\"}";
  private static final String SESSION =
      "{\"input\": 1, \"namespace\": \"n\", \"protocol\": \"work\", \"scope\": \"session\","
          + " \"sessionId\": \"s\"}";

  private static final List<String> CONDITIONS =
      List.of(
          "{\"type\": \"CHILDREN_COMPLETED\", \"agents\": [\"acme/billing/x\"]}",
          "{\"type\": \"RESOURCE_AVAILABLE\"}",
          "{\"type\": \"PAGES_AVAILABLE\", \"pages\": [\"aaaaaaaaaaaaaaaaaaaaaaaaaa\"]}",
          "{\"type\": \"IMMEDIATE\"}",
          "{\"type\": \"CUSTOM\", \"key\": \"k\"}",
          "{\"type\": \"AT\", \"time\": \"2030-01-31T12:00:00Z\"}",
          "{\"type\": \"EVENT\", \"scope\": \"tenant:acme\", \"pattern\": \"a*b*c*d*\","
              + " \"after\": \"1-2\"}",
          "{\"type\": \"EVENT\", \"scope\": \"tenant:acme\", \"pattern\": \"a*b*c*d*e\"}",
          "{\"type\": \"APPROVAL\", \"request\": \"r\", \"after\": \"1-2\"}",
          "{\"type\": \"ALL\", \"of\": [{\"type\": \"IMMEDIATE\"}]}",
          "{\"type\": \"ANY\", \"of\": [{\"type\": \"AT\", \"time\": \"2030-01-31T12:00:00Z\"}]}");

  private static final List<String> CHATS =
      List.of(
          """
          {"model": "agent:acme/billing/x", "messages": [{"role": "user", "content": "hi"}],
           "n": 1, "max_tokens": 1, "max_completion_tokens": 1, "temperature": 1, "top_p": 1,
           "seed": 1, "stop": ["x"], "reasoning_effort": "low", "modalities": ["text"],
           "logprobs": false, "stream": true, "stream_options": {"include_usage": true},
           "colony": {"tenant": "acme", "session": "s", "namespace": "n", "priority": 1,
             "pages": ["aaaaaaaaaaaaaaaaaaaaaaaaaa"]}}
          """,
          """
          {"model": "m", "messages": [
             {"role": "assistant", "content": [{"type": "text", "text": "a"}], "tool_calls": [
               {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
             {"role": "tool", "tool_call_id": "c", "content": [{"type": "refusal", "refusal": "no"}]}],
           "tools": [{"type": "function", "function": {"name": "f", "description": "d",
             "parameters": {"type": "object"}}}],
           "tool_choice": "required",
           "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}}
          """);

  private static final List<String> RESPONSES =
      List.of(
          """
          {"model": "m", "input": "hi", "max_output_tokens": 1,
           "temperature": 1, "top_p": 1, "reasoning": {"effort": "low"}, "stream": false,
           "background": false, "text": {"format": {"type": "text"}}}
          """,
          """
          {"model": "m", "input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}]},
             {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
             {"type": "function_call_output", "call_id": "c", "output": "o"}],
           "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}}],
           "tool_choice": "auto",
           "text": {"format": {"type": "json_schema", "schema": {"type": "object"}}}}
          """);

  private static <T extends RequestBody> Consumer<JsonNode> one(Class<T> kind) {
    return json -> RequestBody.read(json, kind);
  }

  private static void placed(JsonNode json) {
    RunRequestBody body = RunRequestBody.fromJson(json);
    body.caller().ifPresent(caller -> caller.context(AGENT.tenant(), AGENT.colony()));
    RunOptions options = body.options();
    RunPlace.of(AGENT, RunPlace.runId(AGENT, options), options, options.session());
  }

  /** What is said under {@code colony} names what is there to be named. */
  private static void named(CompletionCall call) {
    call.colony().tenant().ifPresent(Scope::tenant);
    call.colony().namespace().ifPresent(AGENT.scope()::namespace);
    call.colony().pages().forEach(PageId::new);
  }

  /** What is put in the place of each value of a body, one at a time. */
  private static final List<JsonNode> VALUES =
      Stream.of(
              "\"\"",
              "\" \"",
              "\"a\"",
              "\"a b\"",
              "\"tenant:acme\"",
              "\"tenant:acme:colony:c\"",
              "\"work\"",
              "\"run\"",
              "\"agent\"",
              "\"session\"",
              "\"PT0S\"",
              "\"PT0.5S\"",
              "\"P1DT2H\"",
              "\"P\"",
              "\"PT\"",
              "\"P1M\"",
              "\"-1\"",
              "\"0\"",
              "\"1.5\"",
              "\"1e9\"",
              "\"FAIL\"",
              "\"UNBOUND\"",
              "\"unbound\"",
              "\"required\"",
              "\"none\"",
              "\"user\"",
              "\"tool\"",
              "\"function\"",
              "\"text\"",
              "\"reasoning\"",
              "\"2030-01-31\"",
              "\"acme/x\"",
              "\"1-\"",
              "-1",
              "0",
              "1",
              "2",
              "9",
              "10",
              "100",
              "101",
              "1000",
              "1001",
              "2147483647",
              "2147483648",
              "9223372036854775807",
              "9223372036854775808",
              "1.5",
              "true",
              "[]",
              "[1]",
              "[\"a\"]",
              "[\"a\", \"a\", \"a\", \"a\", \"a\"]",
              "{}",
              "{\"x\": 1}",
              "{\"type\": \"t\"}",
              "\"" + "a".repeat(128) + "\"",
              "\"" + "a".repeat(129) + "\"")
          .map(ApiClient::parse)
          .toList();

  private List<String> differences(String schema, Consumer<JsonNode> reader, String text) {
    JsonNode good = ApiClient.parse(text);
    JsonNode whole = document.schemas().path(schema);
    List<String> wrong = new ArrayList<>();
    variants(good)
        .forEach(one -> {
          List<String> violations = document.violations(whole, one);
          String refused = refusal(reader, one);
          if (violations.isEmpty() != refused.isEmpty()) {
            wrong.add(
                "%s: %s: document: %s, server: %s".formatted(schema, one, violations, refused));
          }
        });
    return wrong;
  }

  private static String refusal(Consumer<JsonNode> reader, JsonNode body) {
    try {
      reader.accept(body);
      return "";
    } catch (IllegalArgumentException | DateTimeException | OpenAiError refused) {
      return "refused: " + refused.getMessage();
    }
  }

  /** The body itself, with another value at each place, without each field, and with one more. */
  private static Stream<JsonNode> variants(JsonNode good) {
    List<JsonNode> all = new ArrayList<>(List.of(good));
    for (JsonPointer place : places(good, JsonPointer.empty())) {
      JsonNode around = good.at(place.head());
      if (!VARIED_FREELY.contains(place.last().getMatchingProperty())) {
        VALUES.forEach(value -> all.add(changed(good, place, value)));
      }
      if (around.isObject()) {
        JsonNode less = good.deepCopy();
        ((ObjectNode) less.at(place.head())).remove(place.last().getMatchingProperty());
        all.add(less);
      }
      if (good.at(place).isObject()) {
        JsonNode more = good.deepCopy();
        ((ObjectNode) more.at(place)).put("nosuch", 1);
        all.add(more);
      }
    }
    return all.stream();
  }

  /** Of what these may be, a schema cannot tell. */
  private static final TreeSet<String> VARIED_FREELY =
      Stream.of("schema", "parameters", "arguments", "logprobs", "background")
          .collect(Collectors.toCollection(TreeSet::new));

  private static JsonNode changed(JsonNode good, JsonPointer place, JsonNode value) {
    JsonNode changed = good.deepCopy();
    JsonNode around = changed.at(place.head());
    if (around instanceof ArrayNode array) {
      array.set(place.last().getMatchingIndex(), value);
    } else {
      ((ObjectNode) around).set(place.last().getMatchingProperty(), value);
    }
    return changed;
  }

  private static List<JsonPointer> places(JsonNode value, JsonPointer at) {
    List<JsonPointer> all = new ArrayList<>();
    if (!at.matches()) {
      all.add(at);
    }
    value
        .properties()
        .forEach(one -> all.addAll(places(one.getValue(), at.appendProperty(one.getKey()))));
    for (int i = 0; value.isArray() && i < value.size(); i++) {
      all.addAll(places(value.get(i), at.appendIndex(i)));
    }
    return all;
  }
}
