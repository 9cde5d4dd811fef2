package dev.colony.inference.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Talks to one OpenAI-compatible server. Calls block, so they belong on virtual threads; an
 * interrupt aborts the call at the server. Thread-safe.
 */
public final class OpenAiClient {

  private final URI base;
  private final OpenAiSettings settings;
  private final HttpExchanges http;
  private final String userAgent;
  private final AtomicReference<String> servedModel = new AtomicReference<>();

  /**
   * @param base the server's address, with or without a trailing {@code /v1}
   */
  public OpenAiClient(URI base, OpenAiSettings settings, HttpClient http) {
    this(base, settings, http, "colony");
  }

  private OpenAiClient(URI base, OpenAiSettings settings, HttpClient http, String userAgent) {
    this.base = root(base);
    this.settings = settings;
    this.http = new HttpExchanges(http, settings.maxReplyBytes());
    this.userAgent = userAgent;
  }

  /** A client whose {@code User-Agent} says to the server's log from which node it calls. */
  public static OpenAiClient ofNode(
      String node, URI base, OpenAiSettings settings, HttpClient http) {
    return new OpenAiClient(base, settings, http, "colony (" + node + ")");
  }

  /** An HTTP client as this class needs it; one serves any number of servers. */
  public static HttpClient httpClient(OpenAiSettings settings, Executor executor) {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(settings.connectTimeout())
        .executor(executor)
        .build();
  }

  /**
   * One attempt. A reply that violates the request's schema is repaired once: the model is asked
   * again and shown what was wrong. After that it is a bad reply.
   *
   * @param timeout for all exchanges of the attempt together
   */
  public Attempt complete(InferenceRequest request, Duration timeout) throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    try {
      ObjectNode body = ChatBody.of(request, model(timeout));
      ChatReply first = exchange(request, request.callId(), body, left(end));
      Optional<ReplySchema> schema = request.responseSchema().map(ReplySchema::new);
      if (schema.isEmpty()) {
        return new Attempt.Answered(first.text(), first.usage(), first.cachedTokens());
      }
      String text = ReplySchema.unfenced(first.text());
      Optional<String> errors = schema.get().errors(text);
      Usage usage = first.usage();
      if (errors.isPresent()) {
        ObjectNode repair = ChatBody.repair(body, first.text(), errors.get());
        ChatReply second = exchange(request, request.callId() + "-repair", repair, left(end));
        text = ReplySchema.unfenced(second.text());
        usage = usage.plus(second.usage());
        refuse(schema.get().errors(text), second.truncated());
      }
      return new Attempt.Answered(text, usage, first.cachedTokens());
    } catch (CallFailure e) {
      return e.toAttempt();
    }
  }

  /** Ids of the models that the server lists, at least one. */
  List<String> models(Duration timeout) throws CallFailure, InterruptedException {
    URI uri = base.resolve("v1/models");
    JsonNode root = http.json(request(uri).GET().build(), timeout);
    List<String> ids = new ArrayList<>();
    for (JsonNode model : root.path("data")) {
      if (model.path("id").isTextual()) {
        ids.add(model.path("id").textValue());
      }
    }
    if (ids.isEmpty()) {
      throw new CallFailure(Kind.BAD_REPLY, uri + " lists no model", null);
    }
    return ids;
  }

  private ChatReply exchange(
      InferenceRequest request, String key, ObjectNode body, Duration timeout)
      throws CallFailure, InterruptedException {
    URI uri = base.resolve("v1/chat/completions");
    String id = key.replaceAll("[^\\x21-\\x7E]", "_");
    HttpRequest.Builder post =
        request(uri)
            .header("Content-Type", "application/json")
            .header("X-Request-Id", id)
            .header("Idempotency-Key", id)
            .POST(BodyPublishers.ofByteArray(ChatBody.bytes(body)));
    if (!request.pages().isEmpty()) {
      post.header("X-Colony-Pages", ChatBody.pagesHeader(request));
    }
    return ChatReply.parse(uri, http.json(post.build(), timeout));
  }

  private String model(Duration timeout) throws CallFailure, InterruptedException {
    if (settings.model().isPresent()) {
      return settings.model().get();
    }
    if (servedModel.get() == null) {
      servedModel.set(models(timeout).getFirst());
    }
    return servedModel.get();
  }

  private HttpRequest.Builder request(URI uri) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .header("Accept", "application/json")
            .header("User-Agent", userAgent);
    settings.apiKey().ifPresent(key -> request.header("Authorization", "Bearer " + key));
    return request;
  }

  private void refuse(Optional<String> errors, boolean truncated) throws CallFailure {
    if (errors.isPresent()) {
      String cut = truncated ? ", and was cut at its token limit" : "";
      throw new CallFailure(
          Kind.BAD_REPLY,
          base + " twice gave a reply that violates the schema" + cut + ": " + errors.get(),
          null);
    }
  }

  private static Duration left(long end) {
    return Duration.ofNanos(Math.max(1, end - System.nanoTime()));
  }

  /** The address that {@code v1/...} is resolved against. */
  static URI root(URI base) {
    String text = base.toString().replaceAll("/+$", "").replaceAll("/v1$", "");
    return URI.create(text + "/");
  }
}
