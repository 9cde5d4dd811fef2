package dev.colony.client.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.client.wire.Problem;
import dev.colony.core.retry.Backoff;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The API of a colony behind its URL. Thread-safe; the connections of its client are reused, and
 * end when it is no longer used.
 */
final class ColonyApi {

  private static final Pattern KEY = Pattern.compile("[!-~]*");

  private final HttpClient client;
  private final String base;
  private final Optional<String> authorization;
  private final HttpClientSettings settings;

  /**
   * @param key empty for none
   * @throws IllegalArgumentException if the base is no HTTP URL, or the key cannot stand in a
   *     header; it says nothing of the key
   */
  ColonyApi(URI base, String key, HttpClientSettings settings) {
    if (base.getHost() == null
        || !("http".equalsIgnoreCase(base.getScheme())
            || "https".equalsIgnoreCase(base.getScheme()))
        || base.getRawQuery() != null) {
      throw new IllegalArgumentException(
          "the URL of a colony is http://HOST:PORT or https://HOST, not: " + base);
    }
    // The client would show it, with the line break of the file that it was read from.
    if (!KEY.matcher(key).matches()) {
      throw new IllegalArgumentException(
          "an API key is of visible ASCII characters: is there a space or a line break around it?");
    }
    this.base = base.toString().replaceAll("/+$", "");
    this.authorization = Optional.of(key).filter(one -> !one.isEmpty()).map("Bearer "::concat);
    this.settings = settings;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.connectTimeout())
            .build();
  }

  HttpClientSettings settings() {
    return settings;
  }

  /**
   * The answer to a call; fails as {@link Problem#failure} says, and with {@link
   * BlackboardException} if no server answers for as long as the settings say.
   */
  CompletionStage<JsonNode> call(ApiCall call) {
    return done(call).thenApply(ApiAnswer::json);
  }

  /** The same where the answer says no more than that it is done. */
  CompletionStage<Void> tell(ApiCall call) {
    return done(call).thenAccept(done -> {});
  }

  /** The answer to a call, or empty where there is no such thing. */
  CompletionStage<Optional<JsonNode>> find(ApiCall call) {
    return find(call, Patience.of(settings.giveUp()));
  }

  CompletionStage<Optional<JsonNode>> find(ApiCall call, Patience patience) {
    return answer(call, patience)
        .thenApply(answer -> answer.absent() ? Optional.empty() : Optional.of(done(answer).json()));
  }

  private CompletionStage<ApiAnswer> done(ApiCall call) {
    return answer(call, Patience.of(settings.giveUp())).thenApply(ColonyApi::done);
  }

  private static ApiAnswer done(ApiAnswer answer) {
    if (!answer.done()) {
      throw answer.problem().failure();
    }
    return answer;
  }

  /** What is answered at last, once the server no longer asks for patience. */
  CompletionStage<JsonNode> call(ApiCall call, Patience patience) {
    return answer(call, patience).thenApply(answer -> done(answer).json());
  }

  private CompletionStage<ApiAnswer> answer(ApiCall call, Patience patience) {
    return answer(call, patience, 1);
  }

  private CompletionStage<ApiAnswer> answer(ApiCall call, Patience patience, int failed) {
    return once(call)
        .handle((answer, failure) -> {
          boolean passing = failure == null ? answer.passing() : lost(failure);
          Duration pause = pause(failed, failure == null ? answer.retryAfter() : Optional.empty());
          if (passing && patience.lasts(pause)) {
            return after(pause, () -> answer(call, patience, failed + 1));
          }
          return failure == null
              ? CompletableFuture.completedStage(answer)
              : CompletableFuture.<ApiAnswer>failedStage(Backoff.cause(failure));
        })
        .thenCompose(next -> next);
  }

  private CompletionStage<ApiAnswer> once(ApiCall call) {
    Duration longest = settings.requestTimeout().plus(call.held());
    HttpRequest.Builder request =
        request(call).timeout(longest).header("Accept", "application/json");
    CompletableFuture<ApiAnswer> answered =
        send(request.build(), BodyHandlers.ofByteArray())
            .thenApply(response -> ApiAnswer.of(response, response.body()));
    // The client's own timeout ends with the head of the answer.
    return answered
        .orTimeout(longest.plus(settings.requestTimeout()).toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(failure -> CompletableFuture.failedStage(unreachable(failure)));
  }

  /** A request that may be changed before it is sent. */
  HttpRequest.Builder request(ApiCall call) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + call.target()))
            .method(
                call.method(),
                call.body()
                    .map(body -> BodyPublishers.ofString(body.toString()))
                    .orElseGet(BodyPublishers::noBody));
    authorization.ifPresent(value -> request.header("Authorization", value));
    call.body().ifPresent(body -> request.header("Content-Type", "application/json"));
    return request;
  }

  /** Sends a request once. */
  <T> CompletableFuture<HttpResponse<T>> send(HttpRequest request, BodyHandler<T> handler) {
    return client.sendAsync(request, handler);
  }

  /** How long to wait after attempts that failed. */
  Duration pause(int failed, Optional<Duration> retryAfter) {
    Duration own = settings.pause(failed, ThreadLocalRandom.current().nextDouble());
    return retryAfter.filter(asked -> asked.compareTo(own) > 0).orElse(own);
  }

  /** What a lost connection is to the caller. */
  BlackboardException unreachable(Throwable failure) {
    Throwable cause = Backoff.cause(failure);
    boolean late = cause instanceof HttpTimeoutException || cause instanceof TimeoutException;
    return new BlackboardException(
        untrusted(cause) ? Reason.TLS : late ? Reason.TIMEOUT : Reason.UNREACHABLE,
        "no answer from "
            + base
            + ": "
            + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()),
        cause);
  }

  private static boolean untrusted(Throwable failure) {
    return failure != null
        && (failure instanceof CertificateException || untrusted(failure.getCause()));
  }

  private static boolean lost(Throwable failure) {
    return Backoff.cause(failure) instanceof BlackboardException board && board.retryable();
  }

  private static <T> CompletionStage<T> after(Duration pause, Supplier<CompletionStage<T>> next) {
    Executor later = CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS);
    return CompletableFuture.supplyAsync(next, later).thenCompose(stage -> stage);
  }
}
