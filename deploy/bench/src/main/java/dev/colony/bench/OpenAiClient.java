package dev.colony.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;

/** Asks for chat completions as any client does, the same of a replica and of a node. */
final class OpenAiClient implements AutoCloseable {

  private static final String BODY =
      """
      {"model": "colony-lexical-1", "max_tokens": %d, "stream": %s, "temperature": 0,
       "messages": [{"role": "system", "content": "You answer questions about ships."},
                    {"role": "user", "content": "What is the bow of a ship? (%d)"}]}
      """;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** A whole reply; fails where its status is another than 200. */
  CompletionStage<?> complete(URI base, int number) {
    return http.sendAsync(request(base, 16, false, number), BodyHandlers.ofByteArray())
        .thenAccept(reply -> {
          if (reply.statusCode() != 200) {
            throw new IllegalStateException(
                base + " answered " + new String(reply.body(), StandardCharsets.UTF_8));
          }
        });
  }

  /** A reply in parts. */
  Streamed stream(URI base, int maxTokens, int number) {
    Streamed streamed = new Streamed();
    http.sendAsync(request(base, maxTokens, true, number), info -> streamed)
        .whenComplete((reply, failure) -> {
          if (failure != null) {
            streamed.onError(failure);
          } else if (reply.statusCode() != 200) {
            streamed.onError(new IllegalStateException("status " + reply.statusCode()));
          }
        });
    return streamed;
  }

  private static HttpRequest request(URI base, int maxTokens, boolean stream, int number) {
    return HttpRequest.newBuilder(base.resolve("/v1/chat/completions"))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(BODY.formatted(maxTokens, stream, number)))
        .build();
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  /** Reads a stream on, and keeps nothing of it but whether it has begun and ended. */
  static final class Streamed implements BodySubscriber<Void> {
    private static final String END = "data: [DONE]";

    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private String tail = "";
    private Subscription subscription;

    /** Completes with its first part. */
    CompletableFuture<Void> begun() {
      return begun;
    }

    /** Completes when it has come to its end as it has to. */
    CompletableFuture<Void> ended() {
      return ended;
    }

    @Override
    public CompletionStage<Void> getBody() {
      return ended;
    }

    @Override
    public void onSubscribe(Subscription given) {
      subscription = given;
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
      for (ByteBuffer part : parts) {
        String text = tail + StandardCharsets.ISO_8859_1.decode(part);
        tail = text.substring(Math.max(0, text.length() - 2 * END.length()));
      }
      begun.complete(null);
    }

    @Override
    public void onError(Throwable failure) {
      begun.completeExceptionally(failure);
      ended.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      if (tail.contains(END)) {
        ended.complete(null);
      } else {
        onError(new IllegalStateException("a stream ended with: " + tail));
      }
    }
  }
}
