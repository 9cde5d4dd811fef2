package dev.colony.inference.provider;

import dev.colony.inference.RecordingModelServer.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Replies with tool calls, as servers number and name them, each with the calls that it has. */
final class ToolCallReplies {

  private static final String BEIJING = "{\"city\":\"Beijing\"}";
  private static final String PARIS = "{\"city\":\"Paris\"}";

  private ToolCallReplies() {}

  /**
   * A reply.
   *
   * @param calls that it has, each as its name and its arguments
   */
  record Row(String name, String dialect, Reply reply, List<String> calls) {

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

  /** Replies whose arguments are no object, but stand for one. */
  static List<Row> standIns() {
    String text = "\"{\\\"city\\\":\\\"Beijing\\\"}\"";
    return List.of(
        chat("null", List.of("now {}"), call(0, "call_a", "now", "null")),
        chatWhole("null", List.of("now {}"), call(0, "call_a", "now", "null")),
        chatWhole(
            "a text",
            ONE,
            call(0, "call_a", "get_weather", "X")
                .replace("X", text.replace("\\", "\\\\").replace("\"", "\\\""))));
  }

  /** Replies with something behind the arguments. */
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
}
