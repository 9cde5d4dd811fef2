package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
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
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An OpenAI-compatible server on loopback behind which a {@link KeyedReader} answers. */
final class ReaderServer implements AutoCloseable {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final int CHARS_PER_TOKEN = 4;
  private static final int CONTEXT_TOKENS = 131_072;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final KeyedReader reader;
  private final String model;

  ReaderServer(KeyedReader reader, KeyedReader.Manner manner) {
    this.reader = reader;
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
        body.putArray("data").addObject().put("id", model).put("max_model_len", CONTEXT_TOKENS);
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
    int promptTokens = 0;
    for (JsonNode message : request.path("messages")) {
      String content = message.path("content").asText();
      promptTokens += content.length() / CHARS_PER_TOKEN;
      if (!message.path("role").asText().equals("system")) {
        messages.add(content);
      }
    }
    JsonNode schema = request.path("response_format").path("json_schema").path("schema");
    String reply = messages.isEmpty() ? "" : reader.reply(messages, KeyedReader.asked(schema));
    body.put("id", "chatcmpl-scripted").put("object", "chat.completion").put("model", model);
    ObjectNode choice = body.putArray("choices").addObject().put("index", 0);
    choice.put("finish_reason", "stop");
    choice.putObject("message").put("role", "assistant").put("content", reply);
    int replyTokens = reply.length() / CHARS_PER_TOKEN;
    body.putObject("usage")
        .put("prompt_tokens", promptTokens)
        .put("completion_tokens", replyTokens)
        .put("total_tokens", promptTokens + replyTokens);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
