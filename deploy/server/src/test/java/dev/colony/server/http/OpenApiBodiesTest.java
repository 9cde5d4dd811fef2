package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunOptions;
import dev.colony.blackboard.Scope;
import dev.colony.client.RunPlace;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.RequestBody.RunRequestBody;
import dev.colony.server.http.ChatCompletionsForms.ChatCompletionsRequest;
import dev.colony.server.http.MessagesForms.MessagesRequest;
import dev.colony.vcm.PageId;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The server refuses bodies that the document does not allow, and no others: bodies that are right,
 * with another value in each place, without each field, and with fields that there are not.
 */
class OpenApiBodiesTest {

  private static final int PAGES = 256;

  private static final AgentId AGENT = new AgentId(ApiRig.TENANT, "billing", "x");

  private final OpenApi document = OpenApi.DOCUMENT;

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
    wrong.addAll(
        differences(
            "ExploreRequest",
            one(RequestBody.Explore.class),
            "{\"question\": \"q\", \"map\": \"m\", \"limit\": 5}"));
    for (String asked : List.of(ASKED, WORK, SESSION)) {
      wrong.addAll(differences("RunRequestBody", OpenApiBodiesTest::placed, asked));
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
    for (String message : MESSAGES) {
      wrong.addAll(
          differences(
              "MessageRequest", json -> named(MessagesRequest.parse(json, PAGES)), message));
    }
    wrong.addAll(
        differences(
            "MessageTokensRequest",
            json -> named(MessagesRequest.counted(json, PAGES)),
            MESSAGES.getFirst().replace("\"max_tokens\": 1, ", "")));
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

  private static final List<String> MESSAGES =
      List.of(
          """
          {"model": "agent:acme/billing/x", "max_tokens": 1, "system": "s", "temperature": 1,
           "top_p": 1, "seed": 1, "stop_sequences": ["x"], "stream": true,
           "output_config": {"effort": "low", "format": {"type": "json_schema",
             "schema": {"type": "object"}}},
           "messages": [{"role": "user", "content": "hi"}],
           "colony": {"tenant": "acme", "session": "s", "namespace": "n", "priority": 1,
             "pages": ["aaaaaaaaaaaaaaaaaaaaaaaaaa"]}}
          """,
          """
          {"model": "m", "max_tokens": 1, "system": [{"type": "text", "text": "a"}],
           "messages": [
             {"role": "assistant", "content": [{"type": "thinking", "thinking": "t"},
               {"type": "text", "text": "a"},
               {"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
             {"role": "user", "content": [
               {"type": "tool_result", "tool_use_id": "c", "is_error": true,
                "content": [{"type": "text", "text": "a"}]}, {"type": "text", "text": "a"}]},
             {"role": "system", "content": "s"}],
           "tools": [{"type": "custom", "name": "f", "description": "d",
             "input_schema": {"type": "object"}}],
           "tool_choice": {"type": "any", "disable_parallel_tool_use": true}}
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
      Stream.of("schema", "parameters", "input_schema", "arguments", "logprobs", "background")
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
