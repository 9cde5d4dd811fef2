package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@link ScriptedServers} answer, each in its form.
 *
 * @param model what is answered
 */
record ScriptedReplies(ScriptedServers.Model model) {

  static final String TEXT = "the front of a ship";
  static final JsonNode OBJECT = json("{\"n\": 7, \"any\": {\"deep\": [1]}, \"tags\": [\"a\"]}");
  static final JsonNode ARGUMENTS = json("{\"term\": \"bow\"}");
  static final String ASKS_JSON = "(JSON)";
  static final String ASKS_TOOL = "(TOOL)";
  static final String REASONING = "a bow is in front";

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static boolean tool(Recorded request) {
    return request.body().contains(ASKS_TOOL);
  }

  /** Answers by a word in the prompt. */
  static String byWords(Recorded request, JsonNode schema) {
    JsonNode answer =
        tool(request)
            ? JSON.objectNode().put("tool", "look_up").set("arguments", ARGUMENTS)
            : OBJECT;
    boolean json = tool(request) || request.body().contains(ASKS_JSON);
    if (!json) {
      return TEXT;
    }
    return fitted(answer, schema).toString();
  }

  private String content(Recorded request, JsonNode schema) {
    return model.reply(request, schema);
  }

  private static JsonNode schema(Recorded request) {
    JsonNode body = request.json();
    JsonNode chat = body.at("/response_format/json_schema/schema");
    return chat.isMissingNode() ? body.at("/text/format/schema") : chat;
  }

  /** As decoding by the schema would have written it. */
  private static JsonNode fitted(JsonNode answer, JsonNode schema) {
    if (schema.path("properties").has("reply") && !answer.has("reply")) {
      ObjectNode wrap = JSON.objectNode();
      wrap.set("reply", answer);
      return wrap;
    }
    if (schema.path("type").asText().equals("string") && answer.isContainerNode()) {
      return JSON.textNode(answer.toString());
    }
    if (!schema.path("properties").isObject()) {
      return answer;
    }
    ObjectNode all = JSON.objectNode();
    schema
        .path("properties")
        .properties()
        .forEach(property -> {
          JsonNode value = answer.path(property.getKey());
          boolean nullable =
              schema.path("required").toString().contains('"' + property.getKey() + '"');
          if (!value.isMissingNode()) {
            all.set(property.getKey(), fitted(value, property.getValue()));
          } else if (nullable) {
            all.putNull(property.getKey());
          }
        });
    return all;
  }

  private static ObjectNode usage() {
    ObjectNode usage =
        JSON.objectNode()
            .put("prompt_tokens", 120)
            .put("completion_tokens", 12)
            .put("total_tokens", 132);
    usage.putObject("prompt_tokens_details").put("cached_tokens", 96);
    usage.putObject("completion_tokens_details").put("reasoning_tokens", 5);
    return usage;
  }

  private static String chunk(ObjectNode delta, String finish) {
    ObjectNode root = JSON.objectNode().put("object", "chat.completion.chunk").put("model", "m");
    ObjectNode choice = root.putArray("choices").addObject().put("index", 0);
    choice.set("delta", delta);
    choice.put("finish_reason", finish);
    return "data: " + root;
  }

  /** Streamed, with reasoning in a field of its own and the usage in a last chunk. */
  Reply chatStream(Recorded request) {
    List<String> events = new ArrayList<>();
    events.add(": a comment, as proxies send it to keep the connection");
    events.add(chunk(JSON.objectNode().put("role", "assistant").put("content", ""), null));
    events.add(chunk(JSON.objectNode().put("reasoning_content", REASONING), null));
    boolean nativeTool = tool(request) && request.json().has("tools");
    if (nativeTool) {
      events.add(chunk(call("call_1", "look_up", ""), null));
      events.add(chunk(call(null, null, "{\"te"), null));
      events.add(chunk(call(null, null, "rm\":\"bow\"}"), null));
    } else {
      String content = content(request, schema(request));
      int middle = content.length() / 2;
      events.add(chunk(JSON.objectNode().put("content", content.substring(0, middle)), null));
      events.add(chunk(JSON.objectNode().put("content", content.substring(middle)), null));
    }
    events.add(chunk(JSON.objectNode(), nativeTool ? "tool_calls" : "stop"));
    ObjectNode last = JSON.objectNode().put("model", "m");
    last.putArray("choices");
    last.set("usage", usage());
    events.add("data: " + last);
    events.add("data: [DONE]");
    return Reply.events(events.toArray(String[]::new));
  }

  private static ObjectNode call(String id, String name, String arguments) {
    ObjectNode delta = JSON.objectNode();
    ObjectNode call = delta.putArray("tool_calls").addObject().put("index", 0);
    if (id != null) {
      call.put("id", id).put("type", "function");
    }
    ObjectNode function = call.putObject("function");
    if (name != null) {
      function.put("name", name);
    }
    function.put("arguments", arguments);
    return delta;
  }

  /** Streamed, with the reasoning between marks in the text. */
  Reply thinkTags(Recorded request) {
    String content = "<think>\n" + REASONING + "</think>\n\n" + content(request, schema(request));
    List<String> events = new ArrayList<>();
    for (int at = 0; at < content.length(); at += 7) {
      String part = content.substring(at, Math.min(content.length(), at + 7));
      events.add(chunk(JSON.objectNode().put("content", part), null));
    }
    events.add(chunk(JSON.objectNode(), "stop"));
    events.add("data: [DONE]");
    return Reply.events(events.toArray(String[]::new));
  }

  /** As models without constrained decoding like to write, though they were given a schema. */
  Reply fenced(Recorded request) {
    String content = content(request, JSON.missingNode());
    boolean json = content.startsWith("{");
    return whole(json ? "Here it is:\n```json\n" + content + "\n```\nDoes that help?" : content);
  }

  /** Not streamed, whatever was asked for. */
  Reply chatWhole(Recorded request) {
    return whole(content(request, schema(request)));
  }

  private static Reply whole(String content) {
    ObjectNode root = JSON.objectNode().put("object", "chat.completion").put("model", "m");
    ObjectNode choice = root.putArray("choices").addObject().put("finish_reason", "stop");
    choice.putObject("message").put("role", "assistant").put("content", content);
    root.set("usage", usage());
    return Reply.status(200, root.toString());
  }

  Reply deepSeek(Recorded request) {
    ObjectNode root = JSON.objectNode().put("object", "chat.completion").put("model", "m");
    ObjectNode choice = root.putArray("choices").addObject().put("finish_reason", "stop");
    ObjectNode message = choice.putObject("message").put("reasoning_content", REASONING);
    if (tool(request) && request.json().has("tools")) {
      ObjectNode call = message.putNull("content").putArray("tool_calls").addObject();
      call.put("id", "call_1")
          .putObject("function")
          .put("name", "look_up")
          .put("arguments", ARGUMENTS.toString());
      choice.put("finish_reason", "tool_calls");
    } else {
      message.put("content", content(request, JSON.missingNode()));
    }
    root.putObject("usage")
        .put("prompt_tokens", 120)
        .put("prompt_cache_hit_tokens", 96)
        .put("prompt_cache_miss_tokens", 24)
        .put("completion_tokens", 12)
        .putObject("completion_tokens_details")
        .put("reasoning_tokens", 5);
    return Reply.status(200, root.toString());
  }

  /** Content in parts, of which one is what it thought. */
  Reply mistralParts(Recorded request) {
    if (tool(request)) {
      return chatStream(request);
    }
    ObjectNode thought = JSON.objectNode();
    ArrayNode parts = thought.putArray("content");
    parts
        .addObject()
        .put("type", "thinking")
        .putArray("thinking")
        .addObject()
        .put("type", "text")
        .put("text", REASONING);
    ObjectNode said = JSON.objectNode();
    said.putArray("content")
        .addObject()
        .put("type", "text")
        .put("text", content(request, schema(request)));
    ObjectNode end = JSON.objectNode().put("model", "m");
    end.putArray("choices")
        .addObject()
        .put("finish_reason", "stop")
        .putObject("delta")
        .put("content", "");
    end.set("usage", usage());
    return Reply.events(chunk(thought, null), chunk(said, null), "data: " + end, "data: [DONE]");
  }

  Reply responses(Recorded request) {
    List<String> events = new ArrayList<>();
    events.add(event("response.created", JSON.objectNode()));
    events.add(
        event("response.reasoning_summary_text.delta", JSON.objectNode().put("delta", REASONING)));
    if (tool(request) && request.json().has("tools")) {
      ObjectNode added = JSON.objectNode().put("output_index", 1);
      added
          .putObject("item")
          .put("type", "function_call")
          .put("call_id", "call_1")
          .put("name", "look_up")
          .put("arguments", "");
      events.add(event("response.output_item.added", added));
      events.add(
          event(
              "response.function_call_arguments.delta",
              JSON.objectNode().put("output_index", 1).put("delta", ARGUMENTS.toString())));
    } else {
      events.add(
          event(
              "response.output_text.delta",
              JSON.objectNode().put("delta", content(request, schema(request)))));
    }
    ObjectNode end = JSON.objectNode();
    ObjectNode usage =
        end.putObject("response").put("status", "completed").put("model", "m").putObject("usage");
    usage.put("input_tokens", 120).put("output_tokens", 12);
    usage.putObject("input_tokens_details").put("cached_tokens", 96);
    usage.putObject("output_tokens_details").put("reasoning_tokens", 5);
    events.add(event("response.completed", end));
    return Reply.events(events.toArray(String[]::new));
  }

  private static String event(String type, ObjectNode data) {
    return "event: " + type + "\ndata: " + data.put("type", type);
  }

  Reply anthropic(Recorded request) {
    JsonNode body = request.json();
    List<String> events = new ArrayList<>();
    ObjectNode start = JSON.objectNode();
    start
        .putObject("message")
        .put("model", "m")
        .putObject("usage")
        .put("input_tokens", 20)
        .put("cache_read_input_tokens", 96)
        .put("cache_creation_input_tokens", 4)
        .put("output_tokens", 1);
    events.add(event("message_start", start));
    events.add(event("ping", JSON.objectNode()));
    ObjectNode thought = JSON.objectNode().put("index", 0);
    thought.putObject("delta").put("type", "thinking_delta").put("thinking", REASONING);
    events.add(event("content_block_delta", thought));
    String forced = body.path("tool_choice").path("name").asText("");
    boolean calls = !forced.isEmpty() || tool(request);
    if (calls) {
      JsonNode schema = body.path("tools").path(0).path("input_schema");
      JsonNode input = tool(request) ? ARGUMENTS : json(content(request, schema));
      ObjectNode block = JSON.objectNode().put("index", 1);
      block
          .putObject("content_block")
          .put("type", "tool_use")
          .put("id", "toolu_1")
          .put("name", tool(request) ? "look_up" : forced)
          .putObject("input");
      events.add(event("content_block_start", block));
      ObjectNode part = JSON.objectNode().put("index", 1);
      part.putObject("delta").put("type", "input_json_delta").put("partial_json", input.toString());
      events.add(event("content_block_delta", part));
    } else {
      ObjectNode part = JSON.objectNode().put("index", 1);
      part.putObject("delta")
          .put("type", "text_delta")
          .put("text", content(request, JSON.missingNode()));
      events.add(event("content_block_delta", part));
    }
    ObjectNode delta = JSON.objectNode();
    delta.putObject("delta").put("stop_reason", calls ? "tool_use" : "end_turn");
    delta.putObject("usage").put("output_tokens", 12);
    events.add(event("message_delta", delta));
    events.add(event("message_stop", JSON.objectNode()));
    return Reply.events(events.toArray(String[]::new));
  }
}
