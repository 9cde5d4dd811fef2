package dev.colony.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An OpenAI-compatible server on loopback behind which a {@link KeyedReader} answers. */
final class ReaderServer implements AutoCloseable {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final int CHARS_PER_TOKEN = 4;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final KeyedReader reader;
  private final String model;
  private final int contextTokens;

  /** The prompt before, of which a cache holds what the next one begins with. */
  private String before = "";

  /**
   * Begins to serve.
   *
   * @param contextTokens that it says its model has
   */
  ReaderServer(KeyedReader reader, KeyedReader.Manner manner, int contextTokens) {
    this.reader = reader;
    this.contextTokens = contextTokens;
    this.model = "scripted-" + manner.word();
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException noPort) {
      throw new UncheckedIOException(noPort);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1");
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      ObjectNode body = MAPPER.createObjectNode();
      int status = 200;
      if (path.endsWith("/models")) {
        body.putArray("data").addObject().put("id", model).put("max_model_len", contextTokens);
      } else if (path.endsWith("/chat/completions")) {
        complete(MAPPER.readTree(exchange.getRequestBody()), body);
      } else {
        status = 404;
        body.putObject("error").put("message", "there is no " + path);
      }
      byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private void complete(JsonNode request, ObjectNode body) {
    List<String> messages = new ArrayList<>();
    Set<String> made = new HashSet<>();
    StringBuilder prompt = new StringBuilder();
    request.path("tools").forEach(prompt::append);
    for (JsonNode message : request.path("messages")) {
      String content = message.path("content").asText();
      prompt.append(content);
      for (JsonNode call : message.path("tool_calls")) {
        prompt.append(call.path("function"));
        made.add(call(call.path("function")));
      }
      if (!message.path("role").asText().equals("system")) {
        messages.add(content);
      }
    }
    body.put("id", "chatcmpl-scripted").put("object", "chat.completion").put("model", model);
    ObjectNode choice = body.putArray("choices").addObject().put("index", 0);
    JsonNode schema = request.path("response_format").path("json_schema").path("schema");
    ObjectNode message =
        request.path("tools").isEmpty()
            ? MAPPER
                .createObjectNode()
                .put("role", "assistant")
                .put("content", reader.reply(messages.getLast(), KeyedReader.asked(schema)))
            : called(reader.look(messages, made));
    choice.put("finish_reason", message.has("tool_calls") ? "tool_calls" : "stop");
    choice.set("message", message);
    int promptTokens = prompt.length() / CHARS_PER_TOKEN;
    int replyTokens = message.toString().length() / CHARS_PER_TOKEN;
    body.putObject("usage")
        .put("prompt_tokens", promptTokens)
        .put("completion_tokens", replyTokens)
        .put("total_tokens", promptTokens + replyTokens)
        .putObject("prompt_tokens_details")
        .put("cached_tokens", cached(prompt.toString()) / CHARS_PER_TOKEN);
  }

  /** How many characters of a prompt are the beginning of the one before. */
  private synchronized int cached(String prompt) {
    int same = Arrays.mismatch(before.toCharArray(), prompt.toCharArray());
    before = prompt;
    return same < 0 ? prompt.length() : same;
  }

  private static String call(JsonNode function) {
    try {
      ObjectNode call = MAPPER.createObjectNode().put("name", function.path("name").asText());
      call.set("arguments", MAPPER.readTree(function.path("arguments").asText()));
      return call.toString();
    } catch (JsonProcessingException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** With its calls as the protocol has them; without any it has no list of them. */
  private static ObjectNode called(ObjectNode message) {
    int id = 0;
    ArrayNode calls = MAPPER.createArrayNode();
    for (JsonNode call : message.path("tool_calls")) {
      ObjectNode function =
          calls.addObject().put("id", "c" + id++).put("type", "function").putObject("function");
      function.put("name", call.path("name").asText());
      function.put("arguments", call.path("arguments").toString());
    }
    message.remove("tool_calls");
    return calls.isEmpty() ? message : message.set("tool_calls", calls);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
