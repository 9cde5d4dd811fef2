package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Servers as their documentation and their issues show them: what they refuse and in which words.
 * {@link ScriptedReplies} are what they answer.
 */
public final class ScriptedServers {

  /** What a server has answered with. */
  @FunctionalInterface
  public interface Model {

    /**
     * The text of its reply.
     *
     * @param schema that decoding holds the reply to, or that the model is shown as that of its
     *     only tool; missing where there is none
     */
    String reply(Recorded request, JsonNode schema);
  }

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** What fits into the context of llama-cpp-python's server. */
  private static final int LLAMA_CHARACTERS = 8192;

  private static final String UUID_OF_NONE = new UUID(0, 0).toString();

  /**
   * A server.
   *
   * @param path of its address
   * @param settings of the client, where the address alone does not tell the dialect: here all are
   *     at the loopback address
   * @param models what it lists
   * @param refuses what it does not take; empty for what it answers
   */
  public record Server(
      String name,
      String path,
      List<String> settings,
      Reply models,
      Function<Recorded, Optional<Reply>> refuses,
      Function<Recorded, Reply> answers) {

    public Reply reply(Recorded request) {
      return refuses.apply(request).orElseGet(() -> answers.apply(request));
    }

    /** Plays it, on a free port of the loopback address. */
    public RecordingModelServer play() {
      RecordingModelServer played = RecordingModelServer.start(this::reply);
      played.models(request ->
          path.equals("/llm") && !request.path().equals("/llm/v1/models")
              ? error(404, "Not Found", "", "")
              : models);
      return played;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private ScriptedServers() {}

  /** All of them, with answers of this model. */
  public static List<Server> all(Model model) {
    ScriptedReplies replies = new ScriptedReplies(model);
    return List.of(
        new Server(
            "OpenAI, a model that reasons",
            "",
            List.of("client.dialect = openai"),
            models("gpt-5.2", "openai"),
            ScriptedServers::openAi,
            replies::chatStream),
        new Server(
            "OpenAI, not named",
            "",
            List.of(),
            models("gpt-5.2", "openai"),
            ScriptedServers::openAi,
            replies::chatStream),
        new Server(
            "OpenAI responses",
            "/v1",
            List.of("client.dialect = openai-responses"),
            models("gpt-5.2", "openai"),
            request -> strict(request.json().path("text").path("format").path("schema")),
            replies::responses),
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
            replies::chatStream),
        new Server(
            "vLLM, with a parser of reasoning and of tools",
            "",
            List.of(),
            vllm("qwen3", 32768),
            request -> Optional.empty(),
            replies::chatStream),
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
            replies::thinkTags),
        new Server(
            "vLLM, Gemma's template",
            "",
            List.of(),
            vllm("gemma", 8192),
            ScriptedServers::gemma,
            replies::chatStream),
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
            replies::fenced),
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
            replies::chatWhole),
        new Server(
            "llama-cpp-python",
            "",
            List.of(),
            models("smollm2", "me"),
            ScriptedServers::llamaCppPython,
            replies::chatStream),
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
            replies::chatStream),
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
            replies::deepSeek),
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
            replies::deepSeek),
        new Server(
            "Mistral",
            "",
            List.of(),
            models("magistral-medium", "mistralai"),
            ScriptedServers::mistral,
            replies::mistralParts),
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
            replies::chatStream),
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
            replies::anthropic));
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

  private static Optional<Reply> llamaCppPython(Recorded request) {
    try {
      UUID.fromString(request.headers().getOrDefault("x-request-id", UUID_OF_NONE));
    } catch (IllegalArgumentException none) {
      return Optional.of(Reply.status(400, ""));
    }
    JsonNode body = request.json();
    boolean tooLong = body.toString().length() > LLAMA_CHARACTERS;
    if (tooLong) {
      return Optional.of(
          body.path("stream").asBoolean()
              ? Reply.raw(
                  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                      + "Transfer-Encoding: chunked\r\n\r\n")
              : Reply.status(
                  400,
                  "{\"error\":{\"message\":\"This model's maximum context length is 2048 tokens."
                      + " However, you requested 9125 tokens (9075 in the messages, 50 in the"
                      + " completion). Please reduce the length of the messages or completion.\","
                      + "\"type\":\"invalid_request_error\",\"param\":\"messages\","
                      + "\"code\":\"context_length_exceeded\"}}"));
    }
    return body.at("/response_format/type").asText().equals("json_schema")
        ? Optional.of(
            Reply.status(
                500,
                "{\"error\":{\"message\":\"1 validation error:\\n  {'type':"
                    + " 'literal_error', 'loc': ('body', 'response_format', 'type'),"
                    + " 'msg': \\\"Input should be 'text' or 'json_object'\\\","
                    + " 'input': 'json_schema'}\",\"type\":\"internal_server_error\","
                    + "\"param\":null,\"code\":null}}"))
        : Optional.empty();
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
    if (!node.has("type") && !node.has("anyOf") && !node.has("$ref")) {
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
}
