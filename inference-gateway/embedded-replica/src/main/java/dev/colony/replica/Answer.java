package dev.colony.replica;

import static dev.colony.replica.Exchange.JSON;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.Engine.Call;
import dev.colony.replica.Faults.Fault;
import dev.colony.replica.Faults.Kind;
import dev.colony.replica.Generation.Piece;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Sends the reply of one call as its tokens come, rightly or with the fault that the call meets.
 */
final class Answer {

  private static final String EVENTS = "text/event-stream; charset=utf-8";
  private static final byte[] NO_JSON = "<<not JSON at all>>".getBytes(StandardCharsets.UTF_8);

  private final Exchange exchange;
  private final Fault fault;

  Answer(Exchange exchange, Fault fault) {
    this.exchange = exchange;
    this.fault = fault;
  }

  /** Whether the fault is the whole answer, so that nothing is to be generated. */
  boolean atOnce(boolean stream) throws ApiError, IOException, InterruptedException {
    switch (fault.kind()) {
      case REFUSE -> {
        return true;
      }
      case RATE_LIMIT -> {
        if (fault.retryAfterSeconds() >= 0) {
          exchange.header("Retry-After", Integer.toString(fault.retryAfterSeconds()));
        }
        throw ApiError.overloaded("the rate limit is reached");
      }
      case ERROR -> throw ApiError.internal("EngineCore encountered an issue.");
      case GARBAGE -> {
        exchange.reply(200, "application/json", NO_JSON);
        return true;
      }
      case HANG -> {
        if (stream) {
          exchange.open(200, EVENTS);
        }
        hang();
        return true;
      }
      default -> {
        return false;
      }
    }
  }

  /** Sends the whole reply when it is complete. */
  void whole(Generation generation, Replies replies, int promptTokens, Call call)
      throws IOException, InterruptedException {
    int tokens = generation.tokens().length;
    call.await(tokens);
    Replies.Used used = used(promptTokens, call.cachedTokens(), tokens);
    byte[] body = Exchange.bytes(replies.whole(generation, used));
    byte[] half = Arrays.copyOf(body, body.length / 2);
    String head = "Content-Type: application/json\r\nContent-Length: %d".formatted(body.length);
    switch (fault.kind()) {
      case HALF_JSON -> exchange.reply(200, "application/json", half);
      case DIE -> {
        head(head);
        exchange.raw(half);
      }
      case HANG_BETWEEN -> {
        head(head);
        exchange.raw(half);
        hang();
      }
      case SLOW_HEADERS -> {
        head(head);
        exchange.raw(body);
      }
      case NONE, REFUSE, RATE_LIMIT, ERROR, GARBAGE, HANG, WRONG_USAGE ->
          exchange.reply(200, "application/json", body);
    }
  }

  /** Sends the reply as events; the headers go before the first token is there. */
  void stream(
      Generation generation, Replies replies, int promptTokens, Call call, boolean withUsage)
      throws IOException, InterruptedException {
    if (fault.kind() == Kind.SLOW_HEADERS) {
      head("Content-Type: " + EVENTS);
    } else {
      exchange.open(200, EVENTS);
    }
    call.await(1);
    event(replies.role());
    int sent = 0;
    for (Piece piece : generation.pieces()) {
      call.await(piece.after());
      if (sent++ == fault.after() && broken(replies.piece(piece))) {
        return;
      }
      event(replies.piece(piece));
    }
    int tokens = generation.tokens().length;
    call.await(tokens);
    if (sent <= fault.after() && broken(replies.last(generation))) {
      return;
    }
    event(replies.last(generation));
    if (withUsage) {
      event(replies.usage(used(promptTokens, call.cachedTokens(), tokens)));
    }
    data("[DONE]\n\n");
    if (fault.kind() != Kind.SLOW_HEADERS) {
      exchange.end();
    }
  }

  /** Whether the stream breaks in place of an event. */
  private boolean broken(ObjectNode event) throws IOException, InterruptedException {
    return switch (fault.kind()) {
      case HALF_JSON -> {
        String json = event.toString();
        data(json.substring(0, json.length() / 2) + "\n\n");
        exchange.end();
        yield true;
      }
      case DIE -> {
        // An unfinished exchange closes its connection.
        yield true;
      }
      case HANG_BETWEEN -> {
        hang();
        yield true;
      }
      case NONE, REFUSE, RATE_LIMIT, ERROR, GARBAGE, HANG, WRONG_USAGE, SLOW_HEADERS -> false;
    };
  }

  private Replies.Used used(int prompt, int cached, int completion) {
    return fault.kind() == Kind.WRONG_USAGE
        ? new Replies.Used(prompt, prompt + 1000, -completion)
        : new Replies.Used(prompt, cached, completion);
  }

  private void event(ObjectNode event) throws IOException, InterruptedException {
    data(event + "\n\n");
  }

  private void data(String data) throws IOException, InterruptedException {
    byte[] bytes = ("data: " + data).getBytes(StandardCharsets.UTF_8);
    if (fault.kind() == Kind.SLOW_HEADERS) {
      exchange.raw(bytes);
    } else {
      exchange.write(bytes);
    }
  }

  /** The head of a reply, past the protocol; with the fault of slow headers byte by byte. */
  private void head(String headers) throws IOException, InterruptedException {
    byte[] bytes =
        ("HTTP/1.1 200 OK\r\nConnection: close\r\n" + headers + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    if (fault.kind() != Kind.SLOW_HEADERS) {
      exchange.raw(bytes);
      return;
    }
    for (byte one : bytes) {
      exchange.raw(new byte[] {one});
      TimeUnit.MILLISECONDS.sleep(fault.delayMillis());
    }
  }

  /** Until the client goes or the server stops, which interrupts the thread. */
  private static void hang() throws InterruptedException {
    Thread.sleep(Long.MAX_VALUE);
  }

  /** The reply objects of one chat completion, whole and in chunks, as vLLM writes them. */
  static final class Replies {

    private final String id = "chatcmpl-" + UUID.randomUUID().toString().replace("-", "");
    private final String callId = "chatcmpl-tool-" + UUID.randomUUID().toString().replace("-", "");
    private final long created;

    /** Tokens of a call, as it is told of them. */
    record Used(int promptTokens, int cachedTokens, int completionTokens) {

      ObjectNode json() {
        ObjectNode node =
            JSON.createObjectNode()
                .put("prompt_tokens", promptTokens)
                .put("total_tokens", promptTokens + completionTokens)
                .put("completion_tokens", completionTokens);
        node.putObject("prompt_tokens_details").put("cached_tokens", cachedTokens);
        return node;
      }
    }

    /**
     * @param created seconds since the epoch
     */
    Replies(long created) {
      this.created = created;
    }

    ObjectNode whole(Generation generation, Used used) {
      StringBuilder text = new StringBuilder();
      StringBuilder arguments = new StringBuilder();
      Optional<String> called = Optional.empty();
      for (Piece piece : generation.pieces()) {
        switch (piece.kind()) {
          case TEXT -> text.append(piece.text());
          case CALLED -> called = Optional.of(piece.text());
          case ARGUMENTS -> arguments.append(piece.text());
        }
      }
      ObjectNode root = root("chat.completion");
      ObjectNode choice = choice(root);
      ObjectNode message = choice.putObject("message").put("role", "assistant");
      if (called.isPresent() && text.isEmpty()) {
        message.putNull("content");
      } else {
        message.put("content", text.toString());
      }
      message.putNull("refusal");
      ArrayNode calls = message.putArray("tool_calls");
      called.ifPresent(name ->
          calls
              .addObject()
              .put("id", callId)
              .put("type", "function")
              .putObject("function")
              .put("name", name)
              .put("arguments", arguments.toString()));
      message.putNull("reasoning_content");
      finish(choice, generation);
      root.set("usage", used.json());
      return root;
    }

    /** The first chunk says who speaks. */
    ObjectNode role() {
      ObjectNode root = root("chat.completion.chunk");
      ObjectNode choice = choice(root);
      choice.putObject("delta").put("role", "assistant").put("content", "");
      choice.putNull("finish_reason");
      return root;
    }

    ObjectNode piece(Piece piece) {
      ObjectNode root = root("chat.completion.chunk");
      ObjectNode choice = choice(root);
      ObjectNode delta = choice.putObject("delta");
      if (piece.kind() == Generation.Kind.TEXT) {
        delta.put("content", piece.text());
      } else {
        ObjectNode call = delta.putArray("tool_calls").addObject().put("index", 0);
        if (piece.kind() == Generation.Kind.CALLED) {
          call.put("id", callId).put("type", "function");
          call.putObject("function").put("name", piece.text()).put("arguments", "");
        } else {
          call.putObject("function").put("arguments", piece.text());
        }
      }
      choice.putNull("finish_reason");
      return root;
    }

    /** The last chunk of the choice says why it ends. */
    ObjectNode last(Generation generation) {
      ObjectNode root = root("chat.completion.chunk");
      ObjectNode choice = choice(root);
      choice.putObject("delta");
      finish(choice, generation);
      return root;
    }

    ObjectNode usage(Used used) {
      ObjectNode root = root("chat.completion.chunk");
      root.putArray("choices");
      root.set("usage", used.json());
      return root;
    }

    private ObjectNode root(String object) {
      return JSON.createObjectNode()
          .put("id", id)
          .put("object", object)
          .put("created", created)
          .put("model", EmbeddedReplica.MODEL);
    }

    private static ObjectNode choice(ObjectNode root) {
      return root.putArray("choices").addObject().put("index", 0).putNull("logprobs");
    }

    private static void finish(ObjectNode choice, Generation generation) {
      choice
          .put("finish_reason", generation.finish())
          .put("stop_reason", generation.stopped().orElse(null));
    }
  }
}
