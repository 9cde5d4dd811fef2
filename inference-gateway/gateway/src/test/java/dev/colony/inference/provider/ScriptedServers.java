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
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Servers as their documentation and their issues show them: what they refuse and in which words,
 * and in which form they answer. What is asked is told by a word in the prompt.
 */
final class ScriptedServers {

  static final String TEXT = "the front of a ship";
  static final JsonNode OBJECT = json("{\"n\": 7, \"any\": {\"deep\": [1]}, \"tags\": [\"a\"]}");
  static final JsonNode ARGUMENTS = json("{\"term\": \"bow\"}");
  static final String ASKS_JSON = "(JSON)";
  static final String ASKS_TOOL = "(TOOL)";
  static final String REASONING = "a bow is in front";

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /**
   * A server.
   *
   * @param path of its address
   * @param settings of the client, where the address alone does not tell the dialect: here all are
   *     at the loopback address
   * @param models what it lists
   * @param refuses what it does not take; empty for what it answers
   */
  record Server(
      String name,
      String path,
      List<String> settings,
      Reply models,
      Function<Recorded, Optional<Reply>> refuses,
      Function<Recorded, Reply> answers) {

    Reply reply(Recorded request) {
      return refuses.apply(request).orElseGet(() -> answers.apply(request));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private ScriptedServers() {}

  static List<Server> all() {
    return List.of(
        new Server(
            "OpenAI, a model that reasons",
            "",
            List.of("client.dialect = openai"),
            models("gpt-5.2", "openai"),
            ScriptedServers::openAi,
            ScriptedServers::chatStream),
        new Server(
            "OpenAI, not named",
            "",
            List.of(),
            models("gpt-5.2", "openai"),
            ScriptedServers::openAi,
            ScriptedServers::chatStream),
        new Server(
            "OpenAI responses",
            "/v1",
            List.of("client.dialect = openai-responses"),
            models("gpt-5.2", "openai"),
            request -> strict(request.json().path("text").path("format").path("schema")),
            ScriptedServers::responses),
        new Server(
            "Azure",
            "/openai/deployments/prod/chat/completions?api-version=2025-04-01-preview",
            List.of("client.dialect = azure", "client.model = prod", "client.api-key = k"),
            Reply.status(404, "{\"error\":{\"code\":\"404\",\"message\":\"Resource not found\"}}"),
            request ->
                request.headers().containsKey("api-key")
                        && request.path().contains("?api-version=2025-04-01-preview")
                    ? openAi(request)
                    : Optional.of(error(401, "Access denied", "", "401")),
            ScriptedServers::chatStream),
        new Server(
            "vLLM, with a parser of reasoning and of tools",
            "",
            List.of(),
            vllm("qwen3", 32768),
            request -> Optional.empty(),
            ScriptedServers::chatStream),
        new Server(
            "vLLM, without a parser of tools",
            "",
            List.of(),
            vllm("llama", 32768),
            request ->
                request.json().has("tools")
                    ? Optional.of(
                        error(
                            400,
                            "\"auto\" tool choice requires --enable-auto-tool-choice and"
                                + " --tool-call-parser to be set",
                            "",
                            "400"))
                    : Optional.empty(),
            ScriptedServers::thinkTags),
        new Server(
            "vLLM, Gemma's template",
            "",
            List.of(),
            vllm("gemma", 8192),
            ScriptedServers::gemma,
            ScriptedServers::chatStream),
        new Server(
            "Ollama, a model without tools",
            "",
            List.of(),
            Reply.status(
                200,
                "{\"object\":\"list\",\"data\":[{\"id\":\"nomic-embed-text:latest\","
                    + "\"owned_by\":\"library\"},{\"id\":\"gemma3:latest\","
                    + "\"owned_by\":\"library\"}]}"),
            request ->
                request.json().has("tools")
                    ? Optional.of(
                        error(
                            400,
                            "registry.ollama.ai/library/gemma3:latest does not support tools",
                            "",
                            ""))
                    : Optional.empty(),
            ScriptedServers::fenced),
        new Server(
            "llama.cpp, started without --jinja",
            "",
            List.of(),
            models("tiny.gguf", "llamacpp"),
            request ->
                request.json().has("tools")
                    ? Optional.of(
                        Reply.status(
                            500,
                            "{\"error\":{\"code\":500,\"message\":\"tools param requires --jinja"
                                + " flag\",\"type\":\"server_error\"}}"))
                    : Optional.empty(),
            ScriptedServers::chatWhole),
        new Server(
            "LiteLLM",
            "/llm",
            List.of(),
            Reply.status(
                200,
                Map.of("Content-Type", "application/json", "x-litellm-version", "1.80.0"),
                "{\"data\":[{\"id\":\"claude\",\"object\":\"model\",\"owned_by\":\"openai\"}]}"),
            request ->
                request.json().has("temperature")
                    ? Optional.of(
                        error(
                            400,
                            "litellm.UnsupportedParamsError: bedrock does not support parameters:"
                                + " ['temperature'], for model=claude. To drop these, set"
                                + " `litellm.drop_params=True`",
                            "None",
                            "400"))
                    : Optional.empty(),
            ScriptedServers::chatStream),
        new Server(
            "DeepSeek",
            "",
            List.of("client.dialect = deepseek"),
            models("deepseek-chat", "deepseek"),
            request ->
                request.json().at("/response_format/type").asText().equals("json_schema")
                    ? Optional.of(
                        error(400, "This response_format type is unavailable now", "", ""))
                    : Optional.empty(),
            ScriptedServers::deepSeek),
        new Server(
            "DeepSeek, not named",
            "",
            List.of(),
            models("deepseek-chat", "deepseek"),
            request ->
                request.json().at("/response_format/type").asText().equals("json_schema")
                    ? Optional.of(
                        error(400, "This response_format type is unavailable now", "", ""))
                    : Optional.empty(),
            ScriptedServers::deepSeek),
        new Server(
            "Mistral",
            "",
            List.of(),
            models("magistral-medium", "mistralai"),
            ScriptedServers::mistral,
            ScriptedServers::mistralParts),
        new Server(
            "Gemini",
            "/v1beta/openai/",
            List.of("client.dialect = gemini"),
            models("models/gemini-3-flash", "google"),
            request ->
                request.json().has("seed")
                    ? Optional.of(
                        Reply.status(
                            400,
                            "[{\"error\":{\"code\":400,\"message\":\"Invalid JSON payload received."
                                + " Unknown name \\\"seed\\\": Cannot find field.\","
                                + "\"status\":\"INVALID_ARGUMENT\"}}]"))
                    : Optional.empty(),
            ScriptedServers::chatStream),
        new Server(
            "Anthropic",
            "",
            List.of("client.dialect = anthropic", "client.model = claude-x", "client.api-key = k"),
            Reply.status(
                200, "{\"data\":[{\"type\":\"model\",\"id\":\"claude-x\"}],\"has_more\":false}"),
            request ->
                request.headers().containsKey("x-api-key")
                        && request.headers().containsKey("anthropic-version")
                    ? Optional.empty()
                    : Optional.of(error(401, "x-api-key header is required", "", "")),
            ScriptedServers::anthropic));
  }

  private static Reply models(String id, String owner) {
    return Reply.status(
        200,
        "{\"object\":\"list\",\"data\":[{\"id\":\"%s\",\"object\":\"model\",\"owned_by\":\"%s\"}]}"
            .formatted(id, owner));
  }

  private static Reply vllm(String id, int context) {
    return Reply.status(
        200,
        "{\"object\":\"list\",\"data\":[{\"id\":\"%s\",\"owned_by\":\"vllm\",\"max_model_len\":%d}]}"
            .formatted(id, context));
  }

  static Reply error(int status, String message, String param, String code) {
    ObjectNode error =
        JSON.objectNode().put("message", message).put("type", "invalid_request_error");
    error.put("param", param.isEmpty() ? null : param).put("code", code.isEmpty() ? null : code);
    ObjectNode body = JSON.objectNode();
    body.set("error", error);
    return Reply.status(status, body.toString());
  }

  /** As its models that reason do. */
  private static Optional<Reply> openAi(Recorded request) {
    JsonNode body = request.json();
    if (body.has("max_tokens")) {
      return Optional.of(
          error(
              400,
              "Unsupported parameter: 'max_tokens' is not supported with this model. Use"
                  + " 'max_completion_tokens' instead.",
              "max_tokens",
              "unsupported_parameter"));
    }
    if (body.has("temperature") && body.path("temperature").asDouble() != 1) {
      return Optional.of(
          error(
              400,
              "Unsupported value: 'temperature' does not support 0 with this model. Only the"
                  + " default (1) value is supported.",
              "temperature",
              "unsupported_value"));
    }
    JsonNode format = body.at("/response_format/json_schema");
    return format.path("strict").asBoolean() ? strict(format.path("schema")) : Optional.empty();
  }

  /** What strict mode refuses. */
  private static Optional<Reply> strict(JsonNode schema) {
    return wrongNode(schema)
        .map(wrong ->
            error(
                400,
                "Invalid schema for response_format 'reply': " + wrong,
                "response_format",
                "invalid_json_schema"));
  }

  private static Optional<String> wrongNode(JsonNode node) {
    if (node.isMissingNode()) {
      return Optional.empty();
    }
    if (!node.has("type") && !node.has("anyOf") && !node.has("$ref") && !node.has("enum")) {
      return Optional.of("schema must have a 'type' key");
    }
    if (node.path("type").asText().equals("object")) {
      if (!node.path("additionalProperties").isBoolean()
          || node.path("additionalProperties").booleanValue()) {
        return Optional.of("'additionalProperties' is required to be supplied and to be false");
      }
      List<String> names = new ArrayList<>();
      node.path("properties").fieldNames().forEachRemaining(names::add);
      List<String> required = new ArrayList<>();
      node.path("required").forEach(name -> required.add(name.asText()));
      if (!required.containsAll(names)) {
        return Optional.of("'required' has to include every key in properties");
      }
    }
    List<JsonNode> below = new ArrayList<>();
    node.path("properties").forEach(below::add);
    node.path("anyOf").forEach(below::add);
    if (node.has("items")) {
      below.add(node.get("items"));
    }
    return below.stream().flatMap(one -> wrongNode(one).stream()).findFirst();
  }

  private static Optional<Reply> gemma(Recorded request) {
    String before = "";
    for (JsonNode message : request.json().path("messages")) {
      String role = message.path("role").asText();
      if (role.equals("system")) {
        return Optional.of(error(400, "System role not supported", "", "400"));
      }
      if (role.equals(before)) {
        return Optional.of(
            error(
                400,
                "Conversation roles must alternate user/assistant/user/assistant/...",
                "",
                "400"));
      }
      before = role;
    }
    return Optional.empty();
  }

  private static Optional<Reply> mistral(Recorded request) {
    for (String extra : List.of("stream_options", "seed", "store")) {
      if (request.json().has(extra)) {
        return Optional.of(
            Reply.status(
                422,
                "{\"object\":\"error\",\"message\":{\"detail\":[{\"type\":\"extra_forbidden\","
                    + "\"loc\":[\"body\",\""
                    + extra
                    + "\"],\"msg\":\"Extra inputs are not permitted\",\"input\":null}]},"
                    + "\"type\":\"invalid_request_error\"}"));
      }
    }
    return Optional.empty();
  }

  // What they answer.

  private static boolean tool(Recorded request) {
    return request.body().contains(ASKS_TOOL);
  }

  /** The text of the answer, in the form that the request asks for. */
  private static String content(Recorded request, JsonNode schema) {
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
  private static Reply chatStream(Recorded request) {
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
  private static Reply thinkTags(Recorded request) {
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
  private static Reply fenced(Recorded request) {
    String content = content(request, JSON.missingNode());
    boolean json = content.startsWith("{");
    return whole(json ? "Here it is:\n```json\n" + content + "\n```\nDoes that help?" : content);
  }

  /** Not streamed, whatever was asked for. */
  private static Reply chatWhole(Recorded request) {
    return whole(content(request, schema(request)));
  }

  private static Reply whole(String content) {
    ObjectNode root = JSON.objectNode().put("object", "chat.completion").put("model", "m");
    ObjectNode choice = root.putArray("choices").addObject().put("finish_reason", "stop");
    choice.putObject("message").put("role", "assistant").put("content", content);
    root.set("usage", usage());
    return Reply.status(200, root.toString());
  }

  private static Reply deepSeek(Recorded request) {
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
  private static Reply mistralParts(Recorded request) {
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

  private static Reply responses(Recorded request) {
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

  private static Reply anthropic(Recorded request) {
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
      JsonNode input = tool(request) ? ARGUMENTS : OBJECT;
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
      part.putObject("delta").put("type", "text_delta").put("text", TEXT);
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
