package dev.colony.langchain4j;

import static dev.colony.inference.InferenceFixtures.json;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.Prompt;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Sampling;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import dev.colony.inference.Usage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models of LangChain4j behind the gateway, over HTTP against a scripted server. */
class LangChain4jModelsTest extends LangChain4jFixture {

  private static final String SCHEMA =
      """
      {"type": "object", "properties": {"n": {"type": "integer"}, "why": {"type": "string"}},
       "required": ["n"], "additionalProperties": false}
      """;

  private static final Tool LOOK_UP =
      new Tool(
          "look_up",
          "Looks a term up.",
          json(
              """
              {"type": "object", "properties": {"term": {"type": "string"},
               "kinds": {"type": "array", "items": {"enum": ["a", "b"]}}}, "required": ["term"]}
              """));

  private static final Tool OTHER = new Tool("other", "Another.", json("{\"type\": \"object\"}"));

  private static Reply toolCall() {
    return Reply.events(
        delta(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\","
                + "\"function\":{\"name\":\"look_up\",\"arguments\":\"\"}}]}",
            null),
        delta("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"te\"}}]}", null),
        delta(
            "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"rm\\\":\\\"bow\\\"}\"}}]}",
            null),
        delta("{}", "tool_calls"),
        USAGE,
        "data: [DONE]");
  }

  @Test
  void aReplyComesInPartsOverPagesThatStandFirst() {
    try (Rig rig = new Rig(PAGE)) {
      rig.served.chat(r ->
          Reply.events(
              delta("{\"role\":\"assistant\",\"content\":\"\"}", null),
              delta("{\"reasoning_content\":\"hm\"}", null),
              delta("{\"content\":\"the \"}", null),
              delta("{\"content\":\"bow\"}", null),
              delta("{}", "stop"),
              USAGE,
              "data: [DONE]"));
      List<InferenceDelta> parts = new CopyOnWriteArrayList<>();
      InferenceRequest request =
          request("c", "p1", "p2")
              .sampling(
                  new Sampling(
                      OptionalDouble.of(0),
                      OptionalDouble.of(0.5),
                      OptionalLong.of(7),
                      List.of("END"),
                      Optional.empty()));
      InferenceReply reply = rig.gateway.complete(request, parts::add).join();
      assertThat(reply.text()).isEqualTo("the bow");
      assertThat(reply.reasoning()).isEqualTo("hm");
      assertThat(reply.finish()).isEqualTo(FinishReason.STOP);
      assertThat(reply.usage()).isEqualTo(new Usage(120, 96, 12, 5));
      assertThat(reply.model()).isEqualTo("m-2");
      assertThat(reply.entry()).isEqualTo("lib");
      assertThat(reply.replica()).isEqualTo("lib@langchain4j");
      assertThat(parts)
          .containsSubsequence(
              new InferenceDelta.Asked("lib@langchain4j", "scripted-2"),
              new InferenceDelta.Reasoning("hm"),
              new InferenceDelta.Text("the "),
              new InferenceDelta.Text("bow"));
      JsonNode body = sent(rig, 0);
      assertThat(body.path("model").asText()).isEqualTo("scripted-2");
      assertThat(body.path("messages"))
          .isEqualTo(
              json(
                  """
                  [{"role": "system", "content": "You answer from pages."},
                   {"role": "user", "content": "text of p1"},
                   {"role": "user", "content": "text of p2"},
                   {"role": "user", "content": "Question: what?"}]
                  """));
      assertThat(body.path("temperature").asDouble(-1)).isZero();
      assertThat(body.path("top_p").asDouble()).isEqualTo(0.5);
      assertThat(body.path("seed").asInt()).isEqualTo(7);
      assertThat(body.path("stop")).isEqualTo(json("[\"END\"]"));
      assertThat(body.path("max_tokens").asInt()).isEqualTo(50);
      assertThat(body.path("stream").asBoolean()).isTrue();
      assertThat(rig.served.requests()).as("it is asked for nothing else").hasSize(1);
    }
  }

  @Test
  void rolesAndToolCallsOfAConversationAreSent() {
    try (Rig rig = new Rig(PAGE)) {
      rig.served.chat(r -> text("a ship"));
      ToolCall call = new ToolCall("call_1", "look_up", json("{\"term\": \"bow\"}"));
      Prompt prompt =
          new Prompt(
              "",
              List.of(),
              List.of(
                  new ChatMessage.User("what is a bow?"),
                  new ChatMessage.Assistant("", List.of(call)),
                  new ChatMessage.ToolResult("call_1", "the front"),
                  new ChatMessage.Instruction("Be brief."),
                  new ChatMessage.User(" "),
                  new ChatMessage.User("of what?")));
      ask(
          rig,
          request("c")
              .prompt(prompt)
              .reply(ReplyForm.text(50).tools(List.of(LOOK_UP), ToolChoice.NONE)));
      JsonNode messages = sent(rig, 0).path("messages");
      assertThat(messages.findValuesAsText("role"))
          .as("a blank message says nothing")
          .containsExactly("user", "assistant", "tool", "system", "user");
      JsonNode said = messages.path(1).path("tool_calls").path(0);
      assertThat(said.path("id").asText()).isEqualTo("call_1");
      assertThat(said.path("function").path("name").asText()).isEqualTo("look_up");
      assertThat(json(said.path("function").path("arguments").asText()))
          .isEqualTo(call.arguments());
      assertThat(messages.path(2).path("tool_call_id").asText()).isEqualTo("call_1");
      assertThat(messages.path(2).path("content").asText()).isEqualTo("the front");
      assertThat(sent(rig, 0).path("tool_choice").asText()).isEqualTo("none");
    }
  }

  @Test
  void toolsGoWithTheirSchemasAndComeBackChecked() {
    try (Rig rig = new Rig(PAGE)) {
      rig.served.chat(r -> toolCall());
      List<InferenceDelta> parts = new CopyOnWriteArrayList<>();
      InferenceRequest request =
          request("c")
              .reply(
                  ReplyForm.text(50)
                      .tools(List.of(OTHER, LOOK_UP), new ToolChoice.Named("look_up")));
      InferenceReply reply = rig.gateway.complete(request, parts::add).join();
      assertThat(reply.toolCalls())
          .containsExactly(new ToolCall("call_1", "look_up", json("{\"term\": \"bow\"}")));
      assertThat(reply.finish()).isEqualTo(FinishReason.TOOL_CALLS);
      assertThat(
              parts.stream()
                  .filter(InferenceDelta.ToolArguments.class::isInstance)
                  .map(part -> ((InferenceDelta.ToolArguments) part).arguments()))
          .as("in parts, each once")
          .contains("{\"te", "rm\":\"bow\"}")
          .doesNotContain("{\"term\":\"bow\"}");
      JsonNode tools = sent(rig, 0).path("tools");
      assertThat(tools).as("that which has to be called").hasSize(1);
      JsonNode schema = tools.path(0).path("function").path("parameters");
      assertThat(schema.path("properties")).isEqualTo(LOOK_UP.parameters().path("properties"));
      assertThat(schema.path("required")).isEqualTo(json("[\"term\"]"));
      assertThat(sent(rig, 0).path("tool_choice").asText()).isEqualTo("required");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {PAGE, WHOLE})
  void callsThatAreAllNumbered0AreSeveral(String factory) {
    String first =
        "{\"index\":0,\"id\":\"call_a\",\"type\":\"function\",\"function\":"
            + "{\"name\":\"look_up\",\"arguments\":\"{\\\"term\\\":\\\"bow\\\"}\"}}";
    String second = first.replace("call_a", "call_b").replace("bow", "stern");
    try (Rig rig = new Rig(factory)) {
      rig.served.chat(r ->
          r.json().path("stream").asBoolean()
              ? Reply.events(
                  "data: {\"choices\":[{\"delta\":{\"tool_calls\":[" + first + "]}}]}",
                  "data: {\"choices\":[{\"delta\":{\"tool_calls\":[" + second + "]}}]}",
                  "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}",
                  "data: [DONE]")
              : Reply.status(
                  200,
                  "{\"choices\":[{\"finish_reason\":\"tool_calls\",\"message\":{\"tool_calls\":["
                      + first
                      + ","
                      + second
                      + "]}}]}"));
      InferenceReply reply =
          ask(rig, request("c").reply(ReplyForm.text(50).tools(List.of(LOOK_UP), ToolChoice.AUTO)));
      assertThat(reply.toolCalls())
          .containsExactly(
              new ToolCall("call_a", "look_up", json("{\"term\": \"bow\"}")),
              new ToolCall("call_b", "look_up", json("{\"term\": \"stern\"}")));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {PAGE, WHOLE})
  void aReplyIsHeldToItsSchemaAndRepairedOnce(String factory) {
    try (Rig rig = new Rig(factory)) {
      rig.served.chat(r ->
          rig.served.chats().size() == 1
              ? said(r, "{\"n\": \"seven\", \"why\": null}")
              : said(r, "{\"n\": 7, \"why\": null}"));
      InferenceReply reply = ask(rig, request("c").reply(ReplyForm.json(json(SCHEMA), 50)));
      assertThat(json(reply.text())).isEqualTo(json("{\"n\": 7}"));
      assertThat(reply.usage()).as("of both").isEqualTo(counted(factory).plus(counted(factory)));
      JsonNode format = sent(rig, 0).path("response_format");
      assertThat(format.path("type").asText()).isEqualTo("json_schema");
      assertThat(format.path("json_schema").path("strict").asBoolean()).isTrue();
      assertThat(format.at("/json_schema/schema/required")).isEqualTo(json("[\"n\", \"why\"]"));
      assertThat(sent(rig, 1).path("messages").toString()).contains("seven", "Reply again");
    }
  }

  /** A server that takes no schema has it in the prompt from then on. */
  @Test
  void whatTheServerRefusesIsLearned() {
    try (Rig rig = new Rig(PAGE)) {
      rig.served.chat(r ->
          r.json().has("response_format")
              ? Reply.status(
                  400,
                  "{\"error\":{\"message\":\"response_format is not supported\","
                      + "\"param\":\"response_format\"}}")
              : said(r, "{\"n\": 7}"));
      InferenceRequest request = request("c").reply(ReplyForm.json(json(SCHEMA), 50));
      assertThat(ask(rig, request).text()).isEqualTo("{\"n\": 7}");
      assertThat(rig.served.chats().getLast().body()).contains("satisfies this JSON schema");
      assertThat(sent(rig, 2).path("response_format"))
          .isEqualTo(json("{\"type\":\"json_object\"}"));
      int asked = rig.served.chats().size();
      ask(rig, request);
      assertThat(rig.served.chats()).hasSize(asked + 1);
    }
  }

  private static Usage counted(String factory) {
    return factory.equals(WHOLE) ? new Usage(100, 0, 10) : new Usage(120, 96, 12, 5);
  }

  private static Reply said(Recorded request, String text) {
    return request.json().path("stream").asBoolean() ? text(text) : Reply.answer(text);
  }

  @Test
  void aModelMayReplyAsAWhole() {
    try (Rig rig = new Rig(WHOLE)) {
      InferenceReply reply = ask(rig, request("c", "p1"));
      assertThat(reply.text()).isEqualTo("by lib");
      assertThat(reply.usage()).isEqualTo(new Usage(100, 0, 10));
      assertThat(sent(rig, 0).path("stream").asBoolean()).isFalse();
      rig.served.chat(r -> Reply.status(500, "oh"));
      InferenceException failure = failure(rig, request("d"));
      assertThat(failure.kind()).isEqualTo(Kind.SERVER_ERROR);
      assertThat(rig.served.chats()).as("LangChain4j makes no attempts of its own").hasSize(1 + 3);
      rig.served.chat(r -> Reply.status(200, "{\"choices\": ["));
      assertThat(failure(rig, request("e")).kind()).isEqualTo(Kind.BAD_REPLY);
    }
  }

  @Test
  void anotherModelStandsInForOneOfALibrary() {
    try (Rig rig = new Rig(PAGE, "models.lib.fallbacks = [plain]")) {
      rig.served.chat(r -> Reply.status(500, "oh"));
      InferenceReply reply = ask(rig, request("c"));
      assertThat(reply.text()).isEqualTo("by plain");
      assertThat(reply.entry()).isEqualTo("plain");
      assertThat(rig.served.chats()).hasSize(3);
      rig.served.chat(r -> Reply.status(401, "no such key"));
      assertThat(failure(rig, request("d")).kind()).isEqualTo(Kind.REFUSED);
    }
  }

  @Test
  void itStandsInForAnother() {
    try (Rig rig = new Rig(PAGE, "default-model = plain, models.plain.fallbacks = [lib]")) {
      rig.plain.chat(r -> Reply.status(503, ""));
      rig.served.chat(r -> text("by lib"));
      assertThat(ask(rig, request("c")).entry()).isEqualTo("lib");
    }
  }

  @Test
  void aFactoryThatCannotBeHadStopsTheStartInOneLine() {
    String setting = "colony.inference.models.lib.provider-settings";
    assertThatThrownBy(() -> new Rig("com.example.Gone"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            setting
                + ".factory = com.example.Gone is not on the class path, allowed is a public class"
                + " on the class path that implements dev.colony.langchain4j.ChatModelFactory and"
                + " has a public constructor without parameters");
    assertThatThrownBy(() -> new Rig("java.lang.Object"))
        .hasMessageStartingWith(setting + ".factory = java.lang.Object implements something else");
    assertThatThrownBy(() -> new Rig("dev.colony.langchain4j.Factories"))
        .hasMessageStartingWith(setting + ".factory = dev.colony.langchain4j.Factories cannot be");
    assertThatThrownBy(() -> new Rig("dev.colony.langchain4j.Factories$Unlinked"))
        .hasMessageStartingWith(setting + ": dev.colony.langchain4j.Factories$Unlinked makes no")
        .hasMessageContaining("com/example/Gone");
    assertThatThrownBy(() -> new Rig(PAGE, "models.lib.provider = other"))
        .hasMessage(
            "colony.inference.models.lib.provider = other is not on the class path, allowed are"
                + " those that are: [langchain4j]; put its jar there");
    assertThatThrownBy(() -> new Rig(PAGE, "models.lib.provider-settings.base-url = null"))
        .hasMessageStartingWith(setting + ": ")
        .hasMessageContaining("base-url");
  }

  /** What the page shows is what these tests ask through. */
  @Test
  void theExampleOfThePageIsTheFactoryOfTheseTests() throws Exception {
    String page =
        Files.readString(Path.of("../../docs/operations/model-servers.md"))
            .split("## Models of libraries")[1];
    assertThat(Files.readString(Path.of("src/test/java/com/example/models/OpenAiModels.java")))
        .isEqualTo(page.split("```java\n")[1].split("```")[0]);
    String settings = page.split("```hocon\n")[1].split("```")[0];
    try (Rig rig = new Rig(PAGE, settings.replace("colony.inference.models", "models"))) {
      assertThat(rig.gateway.models()).extracting(OfferedModel::name).contains("other");
    }
  }
}
