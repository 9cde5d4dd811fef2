package dev.colony.replica;

import static dev.colony.replica.Exchanges.JSON;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.colony.inference.Usage;
import dev.colony.replica.Engine.Completion;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/** {@code POST /v1/chat/completions}, whole and streamed as server-sent events. */
final class ChatEndpoint {

  static final String PAGES_HEADER = "X-Colony-Pages";

  private final Engine engine;
  private final BoundedRequest body;
  private final Semaphore tickets;
  private final Clock clock;

  /** At most {@code maxCalls} calls are held, running ones included; others are refused. */
  ChatEndpoint(Engine engine, BoundedRequest body, int maxCalls, Clock clock) {
    this.engine = engine;
    this.body = body;
    this.tickets = new Semaphore(maxCalls);
    this.clock = clock;
  }

  void handle(HttpExchange exchange) throws ApiError, IOException, InterruptedException {
    if (!tickets.tryAcquire()) {
      body.discard(exchange);
      exchange.getResponseHeaders().set("Retry-After", "1");
      throw ApiError.overloaded("all slots of this replica are taken, its queue is full");
    }
    try {
      ChatRequest request = ChatRequest.parse(body.read(exchange));
      if (!request.model().equals(EmbeddedReplica.MODEL)) {
        throw ApiError.notFound(
            "model_not_found",
            "this replica serves " + EmbeddedReplica.MODEL + ", not " + request.model());
      }
      List<String> pages = pages(exchange, request);
      Envelope envelope =
          new Envelope("chatcmpl-" + UUID.randomUUID(), clock.instant().getEpochSecond());
      if (request.stream()) {
        stream(exchange, request, pages, envelope);
      } else {
        Completion completion = engine.run(request, pages, piece -> {});
        Exchanges.json(exchange, 200, envelope.whole(completion));
      }
    } finally {
      tickets.release();
    }
  }

  private void stream(
      HttpExchange exchange, ChatRequest request, List<String> pages, Envelope envelope)
      throws ApiError, IOException, InterruptedException {
    EventStream events = new EventStream(exchange);
    Completion completion = engine.run(request, pages, piece -> events.send(envelope.piece(piece)));
    events.send(envelope.last(completion));
    if (request.streamUsage()) {
      events.send(envelope.usage(completion));
    }
    events.done();
  }

  private static List<String> pages(HttpExchange exchange, ChatRequest request) throws ApiError {
    List<String> ids = new ArrayList<>();
    for (String value : exchange.getRequestHeaders().getOrDefault(PAGES_HEADER, List.of())) {
      for (String id : value.split(",")) {
        if (!id.isBlank()) {
          ids.add(URLDecoder.decode(id.strip(), StandardCharsets.UTF_8));
        }
      }
    }
    int first = request.messages().getFirst().role().equals("system") ? 1 : 0;
    if (ids.size() > request.messages().size() - first) {
      throw ApiError.invalid(
          PAGES_HEADER, PAGES_HEADER + " names " + ids.size() + " pages, more than messages");
    }
    return ids;
  }

  /** Opens the reply at the first event, so that a refusal before it still has its status. */
  private static final class EventStream {
    private final HttpExchange exchange;
    private OutputStream out;

    EventStream(HttpExchange exchange) {
      this.exchange = exchange;
    }

    void send(ObjectNode event) throws IOException {
      write("data: " + new String(Exchanges.write(event), StandardCharsets.UTF_8) + "\n\n");
    }

    void done() throws IOException {
      write("data: [DONE]\n\n");
      out.close();
    }

    private void write(String text) throws IOException {
      if (out == null) {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.getResponseHeaders().set("Cache-Control", "no-cache");
        exchange.sendResponseHeaders(200, 0);
        out = exchange.getResponseBody();
      }
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    }
  }

  /** The reply objects of one call. */
  private record Envelope(String id, long created) {

    ObjectNode whole(Completion completion) {
      ObjectNode root = root("chat.completion");
      ObjectNode choice = choice(root, finish(completion));
      choice
          .putObject("message")
          .put("role", "assistant")
          .put("content", completion.text())
          .putNull("refusal");
      root.set("usage", usageNode(completion.usage()));
      return root;
    }

    ObjectNode piece(String text) {
      ObjectNode root = root("chat.completion.chunk");
      choice(root, Optional.empty())
          .putObject("delta")
          .put("role", "assistant")
          .put("content", text);
      return root;
    }

    ObjectNode last(Completion completion) {
      ObjectNode root = root("chat.completion.chunk");
      choice(root, finish(completion)).putObject("delta");
      return root;
    }

    ObjectNode usage(Completion completion) {
      ObjectNode root = root("chat.completion.chunk");
      root.putArray("choices");
      root.set("usage", usageNode(completion.usage()));
      return root;
    }

    private ObjectNode root(String object) {
      return JSON.createObjectNode()
          .put("id", id)
          .put("object", object)
          .put("created", created)
          .put("model", EmbeddedReplica.MODEL);
    }

    private static ObjectNode choice(ObjectNode root, Optional<String> finish) {
      ArrayNode choices = root.putArray("choices");
      return choices
          .addObject()
          .put("index", 0)
          .put("finish_reason", finish.orElse(null))
          .putNull("logprobs");
    }

    private static Optional<String> finish(Completion completion) {
      return Optional.of(completion.truncated() ? "length" : "stop");
    }

    private static ObjectNode usageNode(Usage usage) {
      ObjectNode node =
          JSON.createObjectNode()
              .put("prompt_tokens", usage.promptTokens())
              .put("completion_tokens", usage.completionTokens())
              .put("total_tokens", usage.promptTokens() + usage.completionTokens());
      node.putObject("prompt_tokens_details").put("cached_tokens", usage.cachedTokens());
      return node;
    }
  }
}
