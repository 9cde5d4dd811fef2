package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceFixtures;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.Attempt.Failed;
import dev.colony.inference.provider.ModelClient.UsageTally;
import dev.colony.inference.provider.ToolCallReplies.Row;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several tool calls in one reply, as servers number and name them: by indexes that are all 0 or
 * missing, by ids that come with each part, with the first, twice or not at all.
 */
class ToolCallsTest {

  private final RecordingModelServer server =
      RecordingModelServer.start(request -> Reply.answer("fine"));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);
  private final List<InferenceDelta> parts = new ArrayList<>();

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
    server.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.colony.inference.provider.ToolCallReplies#rows")
  void eachCallIsOneWithItsOwnArgumentsAndId(Row row) throws Exception {
    server.chat(request -> row.reply());
    Answered answered = (Answered) ask(row.dialect());
    assertThat(answered.toolCalls().stream().map(one -> one.name() + " " + one.arguments()))
        .containsExactlyElementsOf(row.calls());
    assertThat(answered.toolCalls().stream().map(ToolCall::id)).doesNotHaveDuplicates();
    assertThat(answered.toolCalls().stream().map(ToolCall::id)).noneMatch(String::isEmpty);
    assertThat(heard()).as("the parts").containsExactlyElementsOf(row.calls());
  }

  private static Tool tool(String name, String parameters) {
    return new Tool(name, name, InferenceFixtures.json(parameters));
  }

  @Test
  void listedCallsAreHeldToTheArgumentsOfTheirTool() {
    ReplyForm form =
        ReplyForm.text(100)
            .tools(
                List.of(
                    tool(
                        "look",
                        "{\"type\":\"object\",\"properties\":{\"at\":{\"$ref\":\"#/$defs/at\"}},\"$defs\":{\"at\":{\"type\":\"string\"}}}"),
                    tool("stop", "{\"type\":\"object\",\"properties\":{}}")),
                ToolChoice.AUTO)
            .callCheck(calls -> Optional.empty());
    JsonNode schema =
        new ReplyContract(form, Dialect.named("llama.cpp").withoutTools())
            .format()
            .orElseThrow()
            .schema()
            .orElseThrow();
    JsonNode calls = schema.at("/properties/calls");
    assertThat(calls.path("maxItems").asInt()).isPositive();
    assertThat(calls.at("/items/anyOf")).hasSize(2);
    assertThat(calls.at("/items/anyOf/1/properties/tool/const").asText()).isEqualTo("stop");
    String target = calls.at("/items/anyOf/0/properties/arguments/properties/at/$ref").asText();
    assertThat(schema.at(target.substring(1)).path("type").asText()).isEqualTo("string");
  }

  /** Their parts are handed on as they are. */
  @Test
  void argumentsThatAreNoObjectButStandForOneAreThatObject() throws Exception {
    for (Row row : ToolCallReplies.standIns()) {
      server.chat(request -> row.reply());
      Answered answered = (Answered) ask(row.dialect());
      assertThat(answered.toolCalls().stream().map(one -> one.name() + " " + one.arguments()))
          .as(row.toString())
          .containsExactlyElementsOf(row.calls());
    }
  }

  /** What the parts say, of each call. */
  private List<String> heard() {
    Map<Integer, StringBuilder> calls = new LinkedHashMap<>();
    for (InferenceDelta part : parts) {
      if (part instanceof InferenceDelta.ToolArguments more) {
        calls
            .computeIfAbsent(more.index(), index -> new StringBuilder(more.name()).append(' '))
            .append(more.arguments());
      }
    }
    assertThat(calls.keySet()).as("indexes from 0").isSubsetOf(0, 1, 2);
    return calls.values().stream()
        .map(said -> said.toString().endsWith(" ") ? said + "{}" : said.toString())
        .toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.colony.inference.provider.ToolCallReplies#bad")
  void whatStandsBehindTheArgumentsIsNeverDropped(Row row) throws Exception {
    server.chat(request -> row.reply());
    Attempt attempt = ask(row.dialect());
    assertThat(attempt).isInstanceOf(Failed.class);
    assertThat(((Failed) attempt).failure().kind()).isEqualTo(Kind.BAD_REPLY);
    assertThat(((Failed) attempt).failure()).hasMessageContaining("the arguments of get_weather");
  }

  private Attempt ask(String dialect) throws InterruptedException {
    ModelServer client =
        new ModelServer(
            server.uri(), ProviderSettings.fromConfig(config("client.dialect = " + dialect)), http);
    JsonNode city =
        InferenceFixtures.json(
            "{\"type\":\"object\",\"required\":[\"city\"],\"properties\":{\"city\":{\"type\":"
                + "\"string\"}}}");
    InferenceRequest request =
        request("c")
            .reply(
                ReplyForm.text(50)
                    .tools(
                        List.of(
                            new Tool("get_weather", "Tells the weather.", city),
                            new Tool(
                                "now",
                                "Tells the time.",
                                InferenceFixtures.json("{\"type\":\"object\"}"))),
                        ToolChoice.AUTO));
    parts.clear();
    return client.complete(request, "r", Duration.ofSeconds(20), parts::add, new UsageTally());
  }
}
