package dev.colony.testkit;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.colony.inference.Usage;
import dev.colony.testkit.FakeModel.Prompt;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What a fake model sends. */
sealed interface FakeReply {

  int OK = 200;

  /**
   * Escapes carry any text of a test, halves of surrogate pairs too; UTF-8 has no form for these.
   */
  JsonMapper ASCII = JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  void send(HttpExchange exchange, Prompt prompt, Optional<Usage> usage) throws IOException;

  /**
   * A chat completion; where the client asks for a stream, in parts, one server-sent event for each
   * word of the text.
   */
  record Answer(Function<Prompt, String> text) implements FakeReply {

    @Override
    public void send(HttpExchange exchange, Prompt prompt, Optional<Usage> usage)
        throws IOException {
      String answer = text.apply(prompt);
      Usage taken = usage.orElseGet(() -> new Usage(tokens(prompt.text()), 0, tokens(answer)));
      if (prompt.streamed()) {
        stream(exchange, answer, taken);
      } else {
        ObjectNode root = completion("chat.completion");
        ObjectNode choice = (ObjectNode) root.path("choices").get(0);
        choice.put("finish_reason", "stop");
        choice.putObject("message").put("role", "assistant").put("content", answer);
        root.set("usage", usage(taken));
        json(exchange, root);
      }
    }
  }

  /**
   * Calls of tools, and what the model says beside them; as text where the request has no tools.
   *
   * @param calls each with {@code tool}, the key of an action or the name of a tool, and {@code
   *     arguments}
   */
  record Calls(String say, List<ObjectNode> calls) implements FakeReply {

    @Override
    public void send(HttpExchange exchange, Prompt prompt, Optional<Usage> usage)
        throws IOException {
      List<ObjectNode> named = calls.stream().map(call -> named(call, prompt)).toList();
      if (prompt.tools().isEmpty()) {
        ObjectNode text = JsonNodeFactory.instance.objectNode().put("say", say);
        text.putArray("calls").addAll(named);
        new Answer(any -> text.toString()).send(exchange, prompt, usage);
        return;
      }
      Usage taken = usage.orElseGet(() -> new Usage(tokens(prompt.text()), 0, tokens(say)));
      ObjectNode root = completion(prompt.streamed() ? "chat.completion.chunk" : "chat.completion");
      ObjectNode choice = (ObjectNode) root.path("choices").get(0);
      choice.put("finish_reason", "tool_calls");
      ObjectNode message = choice.putObject(prompt.streamed() ? "delta" : "message");
      message.put("role", "assistant").put("content", say);
      for (ObjectNode call : named) {
        ObjectNode made = message.withArray("tool_calls").addObject();
        made.put("index", message.path("tool_calls").size() - 1);
        made.put("id", "call-" + message.path("tool_calls").size()).put("type", "function");
        made.putObject("function")
            .put("name", call.path("tool").asText())
            .put("arguments", call.path("arguments").toString());
      }
      root.set("usage", usage(taken));
      if (prompt.streamed()) {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(OK, 0);
        event(exchange.getResponseBody(), ASCII.writeValueAsString(root));
        event(exchange.getResponseBody(), "[DONE]");
      } else {
        json(exchange, root);
      }
    }

    /** An action is a tool of nearly its key, or is taken by the tool that takes one of many. */
    private static ObjectNode named(ObjectNode call, Prompt prompt) {
      String key = call.path("tool").asText();
      String plain = key.replaceAll("[^A-Za-z0-9_-]", "_");
      boolean take =
          !prompt.offers(plain)
              && !prompt.offers(key)
              && prompt.text().contains("`" + plain + "`")
              && (prompt.offers("take") || prompt.system().contains("\n- take: "));
      ObjectNode named = JsonNodeFactory.instance.objectNode();
      if (!take) {
        named.put("tool", plain).set("arguments", call.path("arguments"));
        return named;
      }
      ObjectNode arguments = named.put("tool", "take").putObject("arguments");
      arguments.put("action", plain).set("parameters", call.path("arguments"));
      return named;
    }
  }

  /** An error. */
  record Failure(int status, String message, Optional<Duration> retryAfter) implements FakeReply {

    @Override
    public void send(HttpExchange exchange, Prompt prompt, Optional<Usage> usage)
        throws IOException {
      retryAfter.ifPresent(
          wait -> exchange.getResponseHeaders().set("Retry-After", "" + wait.toSeconds()));
      FakeReply.status(exchange, status, message);
    }
  }

  /** Half of an answer, and the end of the connection. */
  record CutOff() implements FakeReply {

    @Override
    public void send(HttpExchange exchange, Prompt prompt, Optional<Usage> usage)
        throws IOException {
      byte[] half = "{\"choices\":[{\"message\":".getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(OK, half.length * 2L);
      exchange.getResponseBody().write(half);
      exchange.getResponseBody().flush();
    }
  }

  /** Bytes that are no chat completion. */
  record Garbage() implements FakeReply {

    @Override
    public void send(HttpExchange exchange, Prompt prompt, Optional<Usage> usage)
        throws IOException {
      bytes(exchange, OK, "<html>this is no model</html>");
    }
  }

  private static long tokens(String text) {
    return Math.ceilDiv(text.length(), 4);
  }

  private static ObjectNode completion(String object) {
    ObjectNode root =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", "chatcmpl-fake")
            .put("object", object)
            .put("model", FakeModel.MODEL);
    root.putArray("choices").addObject().put("index", 0);
    return root;
  }

  private static ObjectNode usage(Usage taken) {
    ObjectNode usage =
        JsonNodeFactory.instance
            .objectNode()
            .put("prompt_tokens", taken.promptTokens())
            .put("completion_tokens", taken.completionTokens())
            .put("total_tokens", taken.promptTokens() + taken.completionTokens());
    usage.putObject("prompt_tokens_details").put("cached_tokens", taken.cachedTokens());
    return usage;
  }

  private static void stream(HttpExchange exchange, String answer, Usage taken) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(OK, 0);
    OutputStream out = exchange.getResponseBody();
    for (String word : answer.split("(?<= )")) {
      ObjectNode chunk = completion("chat.completion.chunk");
      ((ObjectNode) chunk.path("choices").get(0)).putObject("delta").put("content", word);
      event(out, ASCII.writeValueAsString(chunk));
    }
    ObjectNode last = completion("chat.completion.chunk");
    ((ObjectNode) last.path("choices").get(0)).put("finish_reason", "stop").putObject("delta");
    last.set("usage", usage(taken));
    event(out, ASCII.writeValueAsString(last));
    event(out, "[DONE]");
  }

  private static void event(OutputStream out, String data) throws IOException {
    out.write(("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  static void json(HttpExchange exchange, JsonNode body) throws IOException {
    bytes(exchange, OK, ASCII.writeValueAsString(body));
  }

  static void status(HttpExchange exchange, int status, String message) throws IOException {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.putObject("error").put("message", message);
    bytes(exchange, status, root.toString());
  }

  private static void bytes(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
