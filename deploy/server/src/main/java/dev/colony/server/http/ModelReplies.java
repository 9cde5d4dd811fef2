package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.clock.MonotonicClock;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.InferenceException;
import dev.colony.server.http.ApiResponse.Responses;
import dev.colony.server.http.ApiResponse.ServerEvent;
import dev.colony.server.http.RequestRates.PerKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.MediaTypes;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.japi.pf.PFBuilder;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replies of models on their way to clients. A reply that has not begun within a heartbeat's pause
 * is begun with what means nothing, blank lines or comments, and goes on with more of it, so that
 * no proxy takes the connection for dead; what fails before that has its status, and what fails
 * after it ends the connection, behind what went wrong. A client that goes cancels its call. One
 * that only ends its side may wait for its reply: it is begun soon, and something is sent to it
 * each second, since that alone tells whether it is still there.
 */
final class ModelReplies {

  private static final Logger LOG = LoggerFactory.getLogger(ModelReplies.class);

  /** Between two lines of the log that tell of calls that failed. */
  private static final Duration LINE_PAUSE = Duration.ofSeconds(1);

  private static final AtomicLong NEXT_LINE = new AtomicLong(MonotonicClock.SYSTEM.nanos());

  private static final ByteString BLANK = ByteString.fromString("\n");
  private static final ByteString COMMENT = ByteString.fromArrayUnsafe(ServerEvent.heartbeat());

  /** From the end of a client's side: most replies that are short have their status by then. */
  private static final Duration FIRST_PROBE = Duration.ofSeconds(2);

  private static final Duration PROBE = Duration.ofSeconds(1);

  /**
   * Heartbeats without one, before a reply is begun of which nothing is known: a call that fails by
   * then has its status. Less than what proxies wait for a server's first byte, usually 60 s.
   */
  private static final int SILENT_BEATS = 3;

  /** What an error needs to be on its way, before its connection is broken off. */
  private static final Duration TOLD = Duration.ofMillis(200);

  private final ActorSystem<?> system;
  private final HttpSettings.Bounds bounds;
  private final ApiListener listener;
  private final PerKey open;

  /**
   * @param perKey calls under way at once, of one key
   */
  ModelReplies(
      ActorSystem<?> system, int perKey, HttpSettings.Bounds bounds, ApiListener listener) {
    this.system = system;
    this.open = new PerKey(perKey);
    this.bounds = bounds;
    this.listener = listener;
  }

  static OpenAiError error(Throwable failure) {
    return switch (Backoff.cause(failure)) {
      case OpenAiError known -> known;
      case InferenceException call -> {
        logged(call);
        yield OpenAiError.of(call);
      }
      case Throwable other -> {
        Problems.Answered told = Problems.of(other);
        yield OpenAiError.of(
            told.problem().status(),
            told.problem().code(),
            told.problem().detail(),
            told.headers());
      }
    };
  }

  /** The caller is not told which server it was, so the log is; one line in a while. */
  private static void logged(InferenceException failure) {
    long now = MonotonicClock.SYSTEM.nanos();
    long due = NEXT_LINE.get();
    if (now - due >= 0 && NEXT_LINE.compareAndSet(due, now + LINE_PAUSE.toNanos())) {
      LOG.info("a model call over HTTP failed: {}", failure.getMessage());
    }
  }

  static HttpResponse response(OpenAiError error, JsonNode told) {
    return Responses.json(new ApiResponse.Json(error.status(), told, error.headers()));
  }

  /**
   * @param key whose call it is
   * @param client whose reply it is
   */
  <T> CompletionStage<HttpResponse> answer(
      String key, ApiResponse.Whole<T> reply, RequestClock.Client client) {
    CompletableFuture<T> result = reply.result();
    if (!open.enter(key)) {
      result.cancel(true);
      return CompletableFuture.failedStage(tooMany(key));
    }
    client.gone().thenRun(() -> result.cancel(true));
    CompletableFuture<HttpResponse> answer = new CompletableFuture<>();
    Cancellable late =
        beginLate(
            bounds.heartbeat().multipliedBy(SILENT_BEATS),
            () -> answer.complete(late(reply, client)));
    client
        .sideEnded()
        .thenRun(() -> {
          if (!answer.isDone()) {
            beginLate(FIRST_PROBE, () -> answer.complete(late(reply, client)));
          }
        });
    result.whenComplete((value, failure) -> {
      open.leave(key);
      late.cancel();
      if (failure != null) {
        answer.completeExceptionally(failure instanceof CancellationException ? gone() : failure);
      } else {
        try {
          answer.complete(
              Responses.json(
                  new ApiResponse.Json(200, reply.form().apply(value), reply.headers())));
        } catch (RuntimeException fault) {
          answer.completeExceptionally(fault);
        }
      }
    });
    return answer;
  }

  private Cancellable beginLate(Duration pause, Runnable begin) {
    return system.scheduler().scheduleOnce(pause, begin, system.executionContext());
  }

  private <T> HttpResponse late(ApiResponse.Whole<T> reply, RequestClock.Client client) {
    Source<ByteString, NotUsed> body =
        Source.completionStage(reply.result().thenApply(value -> json(reply.form().apply(value))))
            .keepAlive(bounds.heartbeat(), () -> BLANK)
            .merge(probes(client, BLANK), true)
            .mapMaterializedValue(used -> NotUsed.getInstance());
    Source<ByteString, NotUsed> told =
        body.recoverWithRetries(
            1,
            new PFBuilder<
                    Throwable,
                    org.apache.pekko.stream.Graph<
                        org.apache.pekko.stream.SourceShape<ByteString>, NotUsed>>()
                .match(Throwable.class, failure -> brokenOff(reply.failed().apply(told(failure))))
                .build());
    return chunked(
        ContentTypes.APPLICATION_JSON,
        Source.single(BLANK)
            .concat(told)
            .watchTermination((used, done) -> {
              done.whenComplete((over, failure) -> {
                if (reply.result().cancel(true)) {
                  listener.problem(gone().code());
                }
              });
              return used;
            }),
        reply.headers());
  }

  /** What tells whether a client is still there that has ended its side. */
  static Source<ByteString, NotUsed> probes(RequestClock.Client client, ByteString what) {
    return Source.completionStage(client.sideEnded())
        .flatMapConcat(ended -> Source.tick(FIRST_PROBE, PROBE, what));
  }

  /** A status has been sent, so that only the end of the connection tells programs. */
  private Source<ByteString, NotUsed> brokenOff(JsonNode error) {
    ReplyBrokenOff end = new ReplyBrokenOff(error.path("error").path("message").asText());
    return Source.single(json(error))
        .concatLazy(
            Source.lazySource(() -> {
              CompletableFuture<ByteString> told = new CompletableFuture<>();
              beginLate(TOLD, () -> told.completeExceptionally(end));
              return Source.completionStage(told);
            }));
  }

  private static ByteString json(JsonNode json) {
    return ByteString.fromArrayUnsafe(json.toString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * @param key whose call it is
   * @param client whose reply it is
   */
  <T> CompletionStage<HttpResponse> answer(
      String key, ApiResponse.Parts<T> reply, RequestClock.Client client) {
    Pair<UniqueKillSwitch, CompletionStage<Pair<List<ByteString>, Source<ByteString, NotUsed>>>>
        running =
            Source.lazySource(() -> counted(key, reply))
                .keepAlive(bounds.heartbeat(), () -> COMMENT)
                .merge(probes(client, COMMENT), true)
                .viaMat(KillSwitches.single(), Keep.right())
                .prefixAndTail(1)
                .toMat(Sink.head(), Keep.both())
                .run(system);
    client.gone().thenRun(() -> running.first().abort(gone()));
    return running.second().thenApply(begun -> events(begun, reply));
  }

  private <T> Source<ByteString, NotUsed> counted(String key, ApiResponse.Parts<T> reply) {
    if (!open.enter(key)) {
      return Source.failed(tooMany(key));
    }
    listener.streamOpened();
    int buffer = bounds.buffer();
    return reply
        .parts()
        .addAttributes(Attributes.inputBuffer(buffer, buffer))
        .map(part -> bytes(reply.form().apply(part)))
        .filter(bytes -> !bytes.isEmpty())
        .watchTermination((used, done) -> {
          done.whenComplete((over, failure) -> {
            open.leave(key);
            listener.streamClosed();
          });
          return used;
        });
  }

  private static ByteString bytes(List<byte[]> events) {
    ByteString all = ByteString.emptyByteString();
    for (byte[] event : events) {
      all = all.concat(ByteString.fromArrayUnsafe(event));
    }
    return all;
  }

  private <T> HttpResponse events(
      Pair<List<ByteString>, Source<ByteString, NotUsed>> begun, ApiResponse.Parts<T> reply) {
    Source<ByteString, NotUsed> rest =
        begun
            .second()
            .recover(
                new PFBuilder<Throwable, ByteString>()
                    .match(Throwable.class, failure -> bytes(reply.failed().apply(told(failure))))
                    .build());
    AtomicBoolean sent = new AtomicBoolean();
    return chunked(
        MediaTypes.TEXT_EVENT_STREAM.toContentType(),
        Source.from(begun.first())
            .concat(rest)
            .concatLazy(
                Source.lazySource(() -> {
                  sent.set(true);
                  return Source.<ByteString>empty();
                }))
            .backpressureTimeout(bounds.slowReader())
            .watchTermination((used, done) -> {
              done.thenRun(() -> {
                if (!sent.get()) {
                  listener.problem(gone().code());
                }
              });
              return used;
            }),
        reply.headers());
  }

  private OpenAiError told(Throwable failure) {
    OpenAiError error = error(failure);
    listener.problem(error.code());
    return error;
  }

  private static HttpResponse chunked(
      ContentType type, Source<ByteString, NotUsed> body, Map<String, String> headers) {
    HttpResponse response =
        HttpResponse.create()
            .withEntity(HttpEntities.createChunked(type, body))
            .addHeader(RawHeader.create("Cache-Control", "no-store"));
    for (Map.Entry<String, String> header : headers.entrySet()) {
      response = response.addHeader(RawHeader.create(header.getKey(), header.getValue()));
    }
    return response;
  }

  /** For logs and metrics: there is no connection left that it could go to. */
  private static OpenAiError gone() {
    return OpenAiError.of(
        400, "client-gone", "the client closed its connection before its reply", Map.of());
  }

  private OpenAiError tooMany(String key) {
    return OpenAiError.tooMany(
        "%s has %d calls under way: wait for one of them to end".formatted(key, open.most()));
  }

  /** Pekko logs it as it aborts the connection; where it was thrown says nothing. */
  private static final class ReplyBrokenOff extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ReplyBrokenOff(String words) {
      super(words, null, false, false);
    }
  }
}
