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
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several tool calls in one reply, as servers number and name them: by indexes that are all 0 or
 * missing, by ids that come with each part, with the first, twice or not at all.
 */
class ToolCallsTest {

  private static final String BEIJING = "{\"city\":\"Beijing\"}";
  private static final String PARIS = "{\"city\":\"Paris\"}";

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

  /**
   * A reply.
   *
   * @param calls that it has, each as its name and its arguments
   */
  private record Row(String name, String dialect, Reply reply, List<String> calls) {

    @Override
    public String toString() {
      return dialect + ": " + name;
    }
  }

  private static Row chat(String name, List<String> calls, String... deltas) {
    List<String> events = new ArrayList<>();
    for (String delta : deltas) {
      events.add(
          "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[%s]}}]}".formatted(delta));
    }
    events.add("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}");
    events.add("data: [DONE]");
    return new Row(name, "default", Reply.events(events.toArray(String[]::new)), calls);
  }

  private static Row chatWhole(String name, List<String> calls, String toolCalls) {
    String body =
        """
        {"choices":[{"finish_reason":"tool_calls","message":{"content":null,"tool_calls":[%s]}}]}
        """
            .formatted(toolCalls);
    return new Row(name + ", whole", "default", Reply.status(200, body), calls);
  }

  /**
   * A part of a call.
   *
   * @param index null for none
   * @param id null for none
   * @param name null for none
   */
  private static String call(Integer index, String id, String name, String arguments) {
    return "{%s%s\"type\":\"function\",\"function\":{%s\"arguments\":\"%s\"}}"
        .formatted(
            index == null ? "" : "\"index\":" + index + ",",
            id == null ? "" : "\"id\":\"" + id + "\",",
            name == null ? "" : "\"name\":\"" + name + "\",",
            arguments.replace("\"", "\\\""));
  }

  private static Row responses(String name, List<String> calls, String... events) {
    List<String> all = new ArrayList<>();
    for (String event : events) {
      all.add("data: " + event);
    }
    all.add("data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}");
    return new Row(name, "openai-responses", Reply.events(all.toArray(String[]::new)), calls);
  }

  private static String added(String place, String item, String id, String name, String arguments) {
    return item("response.output_item.added", place, item, id, name, arguments);
  }

  private static String item(
      String type, String place, String item, String id, String name, String arguments) {
    return ("{\"type\":\"%s\"%s,\"item\":{\"type\":\"function_call\",\"id\":\"%s\",\"call_id\":"
            + "\"%s\",\"name\":\"%s\",\"arguments\":\"%s\"}}")
        .formatted(type, place, item, id, name, arguments.replace("\"", "\\\""));
  }

  private static String more(String place, String arguments) {
    return "{\"type\":\"response.function_call_arguments.delta\"%s,\"delta\":\"%s\"}"
        .formatted(place, arguments.replace("\"", "\\\""));
  }

  private static Row anthropic(String name, List<String> calls, String... events) {
    List<String> all = new ArrayList<>();
    all.add("data: {\"type\":\"message_start\",\"message\":{\"model\":\"m\"}}");
    for (String event : events) {
      all.add("data: " + event);
    }
    all.add("data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}");
    return new Row(name, "anthropic", Reply.events(all.toArray(String[]::new)), calls);
  }

  private static String block(String place, String id, String name, String input) {
    return ("{\"type\":\"content_block_start\"%s,\"content_block\":{\"type\":\"tool_use\",\"id\":"
            + "\"%s\",\"name\":\"%s\",\"input\":%s}}")
        .formatted(place, id, name, input);
  }

  private static String json(String place, String arguments) {
    return ("{\"type\":\"content_block_delta\"%s,\"delta\":{\"type\":\"input_json_delta\","
            + "\"partial_json\":\"%s\"}}")
        .formatted(place, arguments.replace("\"", "\\\""));
  }

  private static final List<String> WEATHER_AND_NOW = List.of("get_weather " + BEIJING, "now {}");
  private static final List<String> TWO_CITIES =
      List.of("get_weather " + BEIJING, "get_weather " + PARIS);
  private static final List<String> ONE = List.of("get_weather " + BEIJING);

  static Stream<Row> rows() {
    return Stream.of(chats(), chatsWhole(), responses(), anthropics()).flatMap(all -> all);
  }

  private static Stream<Row> chats() {
    return Stream.of(
        chat(
            "all numbered 0",
            WEATHER_AND_NOW,
            call(0, "call_a", "get_weather", BEIJING),
            call(0, "call_b", "now", "{}")),
        chat(
            "all numbered 0, in pieces",
            WEATHER_AND_NOW,
            call(0, "call_a", "get_weather", ""),
            call(0, null, null, "{\"city\":"),
            call(0, null, null, "\"Beijing\"}"),
            call(0, "call_b", "now", ""),
            call(0, null, null, "{}")),
        chat(
            "all numbered 0, no ids",
            WEATHER_AND_NOW,
            call(0, null, "get_weather", BEIJING),
            call(0, null, "now", "{}")),
        chat(
            "all numbered 0, empty ids, the same tool",
            TWO_CITIES,
            call(0, "", "get_weather", BEIJING),
            call(0, "", "get_weather", PARIS)),
        chat(
            "all numbered 0, no ids, the same tool, the name first",
            TWO_CITIES,
            call(0, null, "get_weather", ""),
            call(0, null, null, BEIJING),
            call(0, null, "get_weather", ""),
            call(0, null, null, PARIS)),
        chat(
            "all numbered 0 in one delta, no arguments",
            List.of("now {}", "now {}"),
            call(0, null, "now", "") + "," + call(0, null, "now", "")),
        chat(
            "all numbered 0, one id for all",
            TWO_CITIES,
            call(0, "call", "get_weather", BEIJING),
            call(0, "call", "get_weather", PARIS)),
        chat(
            "all numbered 0, parts of two calls by their ids",
            TWO_CITIES,
            call(0, "call_a", "get_weather", "{\"city\":"),
            call(0, "call_b", "get_weather", "{\"city\":"),
            call(0, "call_a", null, "\"Beijing\"}"),
            call(0, "call_b", null, "\"Paris\"}")),
        chat(
            "no numbers",
            WEATHER_AND_NOW,
            call(null, "call_a", "get_weather", "{\"city\":"),
            call(null, null, null, "\"Beijing\"}"),
            call(null, "call_b", "now", "{"),
            call(null, null, null, "}")),
        chat(
            "no numbers, in one delta",
            WEATHER_AND_NOW,
            call(null, "call_a", "get_weather", BEIJING) + "," + call(null, "call_b", "now", "")),
        chat(
            "no numbers, no ids, in one delta",
            WEATHER_AND_NOW,
            call(null, null, "get_weather", BEIJING) + "," + call(null, null, "now", "")),
        chat(
            "no numbers, no ids, one delta each",
            TWO_CITIES,
            call(null, null, "get_weather", BEIJING),
            call(null, null, "get_weather", PARIS)),
        chat(
            "numbers, one id for both",
            TWO_CITIES,
            call(0, "call", "get_weather", BEIJING),
            call(1, "call", "get_weather", PARIS)),
        chat(
            "as OpenAI numbers them",
            WEATHER_AND_NOW,
            call(0, "call_a", "get_weather", ""),
            call(0, null, null, "{\"city\":"),
            call(0, null, null, "\"Beijing\"}"),
            call(1, "call_b", "now", ""),
            call(1, null, null, "{}")),
        chat(
            "id and name with each part",
            ONE,
            call(0, "call_a", "get_weather", ""),
            call(0, "call_a", "get_weather", "{\"city\":"),
            call(0, "call_a", "get_weather", "\"Beijing\"}"),
            call(0, "call_a", "get_weather", "")),
        chat(
            "the name with each part, no id",
            ONE,
            call(0, null, "get_weather", "{\"city\":"),
            call(0, null, "get_weather", "\"Beijing\"}"),
            call(0, null, "get_weather", "")),
        chat(
            "a new id with each part, the name with the first",
            ONE,
            call(0, "call_a", "get_weather", "{\"city\":"),
            call(0, "call_b", null, "\"Beijing\"}"),
            call(0, "call_c", null, "")),
        chat(
            "a new number with each part",
            ONE,
            call(0, "call_a", "get_weather", "{\"city\":"),
            call(1, null, null, "\"Beijing\"}")),
        new Row(
            "a whole reply in the only part of a stream",
            "default",
            Reply.events(
                "data:"
                    + " {\"choices\":[{\"finish_reason\":\"tool_calls\",\"message\":{\"tool_calls\":["
                    + call(null, "call_a", "get_weather", BEIJING)
                    + ","
                    + call(null, "call_b", "now", "{}")
                    + "]}}]}"),
            WEATHER_AND_NOW),
        chat(
            "the whole call once more at its end",
            ONE,
            call(0, "call_a", "get_weather", "{\"city\":"),
            call(0, null, null, "\"Beijing\"}"),
            call(0, "call_a", "get_weather", BEIJING)));
  }

  private static Stream<Row> chatsWhole() {
    return Stream.of(
        chatWhole(
            "all numbered 0",
            WEATHER_AND_NOW,
            call(0, "call_a", "get_weather", BEIJING) + "," + call(0, "call_b", "now", "")),
        chatWhole(
            "no ids",
            TWO_CITIES,
            call(0, null, "get_weather", BEIJING) + "," + call(0, null, "get_weather", PARIS)),
        chatWhole(
            "one id, the same call",
            List.of("now {}", "now {}"),
            call(null, "call", "now", "{}") + "," + call(null, "call", "now", "{}")),
        chatWhole(
            "an id that is like the one that is made for another",
            List.of("now {}", "now {}", "now {}"),
            call(null, null, "now", "{}")
                + ","
                + call(null, "c-0", "now", "{}")
                + ","
                + call(null, "c-0", "now", "{}")));
  }

  private static Stream<Row> responses() {
    return Stream.of(
        responses(
            "all in one place",
            WEATHER_AND_NOW,
            added(",\"output_index\":0", "fc_1", "call_a", "get_weather", ""),
            more(",\"output_index\":0", BEIJING),
            added(",\"output_index\":0", "fc_2", "call_b", "now", ""),
            more(",\"output_index\":0", "{}")),
        responses(
            "no places, parts by their items",
            TWO_CITIES,
            added("", "fc_1", "call_a", "get_weather", ""),
            added("", "fc_2", "call_b", "get_weather", ""),
            more(",\"item_id\":\"fc_1\"", BEIJING),
            more(",\"item_id\":\"fc_2\"", PARIS)),
        responses(
            "no places and no items",
            WEATHER_AND_NOW,
            added("", "", "call_a", "get_weather", ""),
            more("", BEIJING),
            added("", "", "call_b", "now", "")),
        responses(
            "the arguments with the beginning",
            ONE,
            added(",\"output_index\":0", "fc_1", "call_a", "get_weather", BEIJING)),
        responses(
            "the arguments with the beginning and in parts",
            ONE,
            added(",\"output_index\":0", "fc_1", "call_a", "get_weather", BEIJING),
            more(",\"output_index\":0", BEIJING)),
        responses(
            "the arguments with their own end",
            ONE,
            added(",\"output_index\":0", "fc_1", "call_a", "get_weather", ""),
            "{\"type\":\"response.function_call_arguments.done\",\"item_id\":\"fc_1\",\"arguments\":\""
                + BEIJING.replace("\"", "\\\"")
                + "\"}"),
        responses(
            "the arguments with the end",
            TWO_CITIES,
            item(
                "response.output_item.done",
                ",\"output_index\":0",
                "fc_1",
                "call_a",
                "get_weather",
                BEIJING),
            added(",\"output_index\":1", "fc_2", "call_b", "get_weather", ""),
            item(
                "response.output_item.done",
                ",\"output_index\":1",
                "fc_2",
                "call_b",
                "get_weather",
                PARIS)),
        new Row(
            "one id, whole",
            "openai-responses",
            Reply.status(
                200,
                """
                {"status":"completed","output":[
                  {"type":"function_call","call_id":"c","name":"get_weather","arguments":"%s"},
                  {"type":"function_call","call_id":"c","name":"get_weather","arguments":"%s"}]}
                """
                    .formatted(BEIJING.replace("\"", "\\\""), PARIS.replace("\"", "\\\""))),
            TWO_CITIES),
        new Row(
            "all with the end of the stream",
            "openai-responses",
            Reply.events(
                """
                data: {"type":"response.completed","response":{"status":"completed","output":[{
                data: "type":"function_call","call_id":"c","name":"now","arguments":"{}"}]}}
                """
                    .strip()),
            List.of("now {}")));
  }

  private static Stream<Row> anthropics() {
    return Stream.of(
        anthropic(
            "all in one place",
            WEATHER_AND_NOW,
            block(",\"index\":0", "toolu_a", "get_weather", "{}"),
            json(",\"index\":0", "{\"city\":"),
            json(",\"index\":0", "\"Beijing\"}"),
            block(",\"index\":0", "toolu_b", "now", "{}"),
            json(",\"index\":0", "")),
        anthropic(
            "no places, one id",
            TWO_CITIES,
            block("", "toolu_a", "get_weather", "{}"),
            json("", BEIJING),
            block("", "toolu_a", "get_weather", "{}"),
            json("", PARIS)),
        anthropic(
            "the input with the beginning",
            ONE,
            block(",\"index\":1", "toolu_a", "get_weather", BEIJING)),
        anthropic(
            "the input with the beginning and in parts",
            ONE,
            block(",\"index\":1", "toolu_a", "get_weather", BEIJING),
            json(",\"index\":1", BEIJING)),
        new Row(
            "one id, whole",
            "anthropic",
            Reply.status(
                200,
                """
                {"stop_reason":"tool_use","content":[
                  {"type":"tool_use","id":"t","name":"get_weather","input":%s},
                  {"type":"tool_use","id":"t","name":"get_weather","input":%s}]}
                """
                    .formatted(BEIJING, PARIS)),
            TWO_CITIES));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void eachCallIsOneWithItsOwnArgumentsAndId(Row row) throws Exception {
    server.chat(request -> row.reply());
    Answered answered = (Answered) ask(row.dialect());
    assertThat(answered.toolCalls().stream().map(one -> one.name() + " " + one.arguments()))
        .containsExactlyElementsOf(row.calls());
    assertThat(answered.toolCalls().stream().map(ToolCall::id)).doesNotHaveDuplicates();
    assertThat(answered.toolCalls().stream().map(ToolCall::id)).noneMatch(String::isEmpty);
    assertThat(heard()).as("the parts").containsExactlyElementsOf(row.calls());
  }

  /** Their parts are handed on as they are. */
  @Test
  void argumentsThatAreNoObjectButStandForOneAreThatObject() throws Exception {
    String text = "\"{\\\"city\\\":\\\"Beijing\\\"}\"";
    for (Row row :
        List.of(
            chat("null", List.of("now {}"), call(0, "call_a", "now", "null")),
            chatWhole("null", List.of("now {}"), call(0, "call_a", "now", "null")),
            chatWhole(
                "a text",
                ONE,
                call(0, "call_a", "get_weather", "X")
                    .replace("X", text.replace("\\", "\\\\").replace("\"", "\\\""))))) {
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

  static Stream<Row> bad() {
    String junk = BEIJING + " and then some";
    return Stream.of(
        chat("text after the arguments", List.of(), call(0, "call_a", "get_weather", junk)),
        chat(
            "text after the arguments, in parts",
            List.of(),
            call(0, "call_a", "get_weather", BEIJING),
            call(0, null, null, "{\"city\":\"Paris\"}")),
        chatWhole("text after the arguments", List.of(), call(0, "call_a", "get_weather", junk)),
        responses(
            "text after the arguments",
            List.of(),
            added(",\"output_index\":0", "fc_1", "call_a", "get_weather", ""),
            more(",\"output_index\":0", junk)),
        anthropic(
            "text after the arguments",
            List.of(),
            block(",\"index\":0", "toolu_a", "get_weather", "{}"),
            json(",\"index\":0", junk)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bad")
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
