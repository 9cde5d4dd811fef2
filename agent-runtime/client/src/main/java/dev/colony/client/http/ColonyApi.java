package dev.colony.client.http;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import dev.colony.agent.AgentException;
import dev.colony.agent.TraceParent;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.blackboard.value.Text;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.client.wire.Problem;
import dev.colony.core.dispatch.Backoff;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The API of a colony behind its URL. Thread-safe; the connections of its client are reused, and
 * end when it is no longer used.
 */
final class ColonyApi {

  private static final Pattern KEY = Pattern.compile("[!-~]*");

  private final HttpClient client;
  private final String base;
  private final Optional<String> authorization;
  private final HttpBounds bounds;

  /**
   * @param key empty for none
   * @param client that knows whom to trust, to be set up further
   * @throws IllegalArgumentException if the base is no HTTP URL, or the key cannot stand in a
   *     header; it says nothing of the key
   */
  ColonyApi(URI base, String key, HttpClient.Builder client, HttpBounds bounds) {
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
    this.bounds = bounds;
    this.client =
        client.version(HttpClient.Version.HTTP_1_1).connectTimeout(bounds.connectTimeout()).build();
  }

  HttpBounds bounds() {
    return bounds;
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
    return find(call, Patience.of(bounds.giveUp()));
  }

  CompletionStage<Optional<JsonNode>> find(ApiCall call, Patience patience) {
    return answer(call, patience)
        .thenApply(answer -> answer.absent() ? Optional.empty() : Optional.of(done(answer).json()));
  }

  private CompletionStage<ApiAnswer> done(ApiCall call) {
    return answer(call, Patience.of(bounds.giveUp())).thenApply(ColonyApi::done);
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
    Duration longest = bounds.requestTimeout().plus(call.held());
    HttpRequest.Builder request =
        request(call).timeout(longest).header("Accept", "application/json");
    CompletableFuture<ApiAnswer> answered =
        send(request.build(), BodyHandlers.ofByteArray())
            .thenApply(response -> ApiAnswer.of(response, response.body()));
    // The client's own timeout ends with the head of the answer.
    return answered
        .orTimeout(longest.plus(bounds.requestTimeout()).toMillis(), TimeUnit.MILLISECONDS)
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
    call.span().ifPresent(span -> request.header(TraceParent.HEADER, span.toString()));
    call.body().ifPresent(body -> request.header("Content-Type", "application/json"));
    return request;
  }

  /** Sends a request once. */
  <T> CompletableFuture<HttpResponse<T>> send(HttpRequest request, BodyHandler<T> handler) {
    return client.sendAsync(request, handler);
  }

  /** How long to wait after attempts that failed. */
  Duration pause(int failed, Optional<Duration> retryAfter) {
    Duration own = bounds.pause(failed, ThreadLocalRandom.current().nextDouble());
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

  /**
   * What the API answered to a call.
   *
   * @param from where it was asked, for people
   * @param retryAfter how long the server wants to be left alone
   */
  record ApiAnswer(String from, int status, byte[] body, Optional<Duration> retryAfter) {

    private static final Set<Integer> PASSING = Set.of(408, 425, 429, 502, 503, 504);
    private static final long MOST_SECONDS = 60;

    static ApiAnswer of(HttpResponse<?> response, byte[] body) {
      return new ApiAnswer(
          response.uri().toString(),
          response.statusCode(),
          body,
          response
              .headers()
              .firstValue("Retry-After")
              .filter(seconds -> seconds.matches("\\d{1,9}"))
              .map(seconds -> Duration.ofSeconds(Math.min(Long.parseLong(seconds), MOST_SECONDS))));
    }

    boolean done() {
      return status / 100 == 2;
    }

    /** Whether the same call may be answered otherwise later. */
    boolean passing() {
      return !done() && problem().retryable();
    }

    boolean absent() {
      return status == 404 || status == 410 && problem().code().equals(Problem.RUN_LOST);
    }

    /**
     * @throws AgentException if it is no JSON
     */
    JsonNode json() {
      return parse()
          .orElseThrow(() ->
              AgentException.refused(
                  from + " answered " + status + " with something else than JSON"));
    }

    /** Of an answer that is not {@link #done}; also where something on the way has answered. */
    Problem problem() {
      boolean passing = PASSING.contains(status);
      return parse()
          .filter(json -> json.hasNonNull("code"))
          .map(Problem::fromJson)
          .map(told -> passing && !told.retryable() ? again(told) : told)
          .orElseGet(() ->
              new Problem(
                  status,
                  "http-" + status,
                  "HTTP " + status,
                  from + " answered " + status,
                  passing,
                  Optional.empty()));
    }

    private static Problem again(Problem told) {
      return new Problem(
          told.status(), told.code(), told.title(), told.detail(), true, told.reason());
    }

    private Optional<JsonNode> parse() {
      try {
        return Optional.of(JsonValues.parse(body)).filter(json -> !json.isMissingNode());
      } catch (JacksonException none) {
        return Optional.empty();
      } catch (IOException impossible) {
        throw new IllegalStateException(impossible);
      }
    }
  }

  /**
   * A request to the API.
   *
   * @param path below the base, with its leading slash
   * @param held how long the server may take on purpose
   * @param span that it is part of, if one is known
   */
  record ApiCall(
      String method,
      String path,
      Map<String, String> query,
      Optional<ObjectNode> body,
      Duration held,
      Optional<TraceParent> span) {

    /**
     * @throws IllegalArgumentException if something in it is not well-formed: it would arrive as
     *     something else
     */
    ApiCall {
      query.forEach((name, text) -> Text.check("the parameter " + name, text));
      body.ifPresent(json -> ValueRules.check("the body", json));
    }

    static ApiCall get(String path) {
      return new ApiCall("GET", path, Map.of(), Optional.empty(), Duration.ZERO, Optional.empty());
    }

    static ApiCall post(String path, ObjectNode body) {
      return new ApiCall(
          "POST", path, Map.of(), Optional.of(body), Duration.ZERO, Optional.empty());
    }

    static ApiCall put(String path, ObjectNode body) {
      return new ApiCall("PUT", path, Map.of(), Optional.of(body), Duration.ZERO, Optional.empty());
    }

    ApiCall query(Map<String, String> parameters) {
      Map<String, String> all = new LinkedHashMap<>(query);
      all.putAll(parameters);
      return new ApiCall(method, path, all, body, held, span);
    }

    ApiCall query(String name, Object value) {
      return query(Map.of(name, value.toString()));
    }

    ApiCall waiting(Duration most) {
      return new ApiCall(method, path, query, body, most, span).query("wait", most.toSeconds());
    }

    String target() {
      return query.isEmpty()
          ? path
          : path
              + query.entrySet().stream()
                  .map(one -> encoded(one.getKey()) + "=" + encoded(one.getValue()))
                  .collect(Collectors.joining("&", "?", ""));
    }

    private static String encoded(String text) {
      return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
  }

  /** How long a client goes on asking a server that does not answer. */
  sealed interface Patience {

    /** Whether another attempt is made after a pause. */
    boolean lasts(Duration pause);

    /** Until some time from now. */
    static Patience of(Duration longest) {
      return new Until(Deadline.in(longest));
    }

    /** As long as the answer is wanted. */
    static Patience unless(BooleanSupplier over) {
      return new Unless(over);
    }

    record Until(Deadline deadline) implements Patience {
      @Override
      public boolean lasts(Duration pause) {
        return deadline.allows(pause);
      }
    }

    /** Without a limit of its own. */
    record Unless(BooleanSupplier over) implements Patience {
      @Override
      public boolean lasts(Duration pause) {
        return !over.getAsBoolean();
      }
    }
  }

  /**
   * How long calls of the API take at most, and how large events are.
   *
   * @param requestTimeout of an answer, beside what the server was asked to wait
   * @param longPoll how long the server is asked to hold a question for a result; what stands
   *     between the two must allow so long a silence
   * @param giveUp how long an outage is waited out where the caller does not wait for ever
   * @param silence after which a stream is taken for dead, more than twice the server's heartbeat
   */
  record HttpBounds(
      Duration connectTimeout,
      Duration requestTimeout,
      Duration longPoll,
      Duration leastPause,
      Duration mostPause,
      Duration giveUp,
      Duration silence,
      int maxEventBytes) {

    /** What an operator may say of them; reference.conf says what it means. */
    @Section("colony.agent.http")
    record Operators(@Range(min = "0 s", max = "24 h") Duration giveUp, Optional<String> caFile) {}

    /**
     * The usual ones.
     *
     * @throws com.typesafe.config.ConfigException naming the path, the value and the range
     */
    static HttpBounds of(Config config) {
      return new HttpBounds(
          Duration.ofSeconds(5),
          Duration.ofSeconds(15),
          Duration.ofSeconds(20),
          Duration.ofMillis(100),
          Duration.ofSeconds(5),
          Settings.read(Operators.class, config).giveUp(),
          Duration.ofSeconds(45),
          16 << 20);
    }

    /**
     * How long to wait before an attempt: more after each that failed, at random, so that the
     * clients of a node that left do not come back all at once.
     *
     * <p>Source: Brooker, "Exponential Backoff and Jitter" (2015), full jitter above the least
     * pause.
     *
     * @param failed attempts before, from 1
     * @param random from 0 to 1
     */
    Duration pause(int failed, double random) {
      double grown = leastPause.toNanos() * Math.pow(2, failed);
      double span = Math.min(grown, mostPause.toNanos()) - leastPause.toNanos();
      return leastPause.plusNanos((long) (Math.max(0, span) * random));
    }
  }
}
