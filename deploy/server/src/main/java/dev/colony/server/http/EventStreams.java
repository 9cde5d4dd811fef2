package dev.colony.server.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.client.wire.Problem;
import dev.colony.server.http.ApiResponse.ServerEvent;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
import dev.colony.server.http.RequestRates.PerKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.MediaTypes;
import org.apache.pekko.http.javadsl.model.headers.Connection;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.japi.pf.PFBuilder;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.BackpressureTimeoutException;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.SharedKillSwitch;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;

/**
 * Streams of events to clients. Only what a client has room for is asked of the source; one that
 * takes nothing for too long is cut off. A stream that ends without a last event of {@link
 * ServerEvent#END} or {@link ServerEvent#PROBLEM} asks its reader to come back, here or elsewhere.
 * Thread-safe.
 */
final class EventStreams {

  private final HttpSettings.Bounds bounds;
  private final ApiListener listener;
  private final SharedKillSwitch drain = KillSwitches.shared("event-streams");
  private final PerKey open;

  /**
   * @param perKey open at once, of one key
   */
  EventStreams(int perKey, HttpSettings.Bounds bounds, ApiListener listener) {
    this.open = new PerKey(perKey);
    this.bounds = bounds;
    this.listener = listener;
  }

  /**
   * The answer that carries the events. It ends its connection.
   *
   * @param key whose stream it is
   * @param recheck fails when the key may not read it any more; what it fails with is then the
   *     stream's last event, after one heartbeat's pause at the latest
   * @param client that reads it
   * @throws Refusal if the key has too many open
   */
  <T> HttpResponse answer(
      String key, ApiResponse.Events<T> stream, Runnable recheck, RequestClock.Client client) {
    AtomicBoolean sent = new AtomicBoolean();
    if (open.full(key)) {
      Thread.startVirtualThread(stream.abandoned());
      throw tooMany(key);
    }
    Source<ByteString, NotUsed> body =
        Source.single(
                ByteString.fromArray(
                    stream.begin().map(ServerEvent::begin).orElseGet(ServerEvent::heartbeat)))
            .concatLazy(Source.lazySource(() -> counted(key, stream, recheck)));
    return HttpResponse.create()
        .withEntity(
            HttpEntities.createChunked(
                MediaTypes.TEXT_EVENT_STREAM.toContentType(),
                body.keepAlive(
                        bounds.heartbeat(), () -> ByteString.fromArray(ServerEvent.heartbeat()))
                    .merge(
                        ModelReplies.probes(client, ByteString.fromArray(ServerEvent.heartbeat())),
                        true)
                    .takeWithin(bounds.longest())
                    .via(drain.flow())
                    .backpressureTimeout(bounds.slowReader())
                    .mapError(
                        new PFBuilder<Throwable, Throwable>()
                            .match(BackpressureTimeoutException.class, slow -> new SlowReader())
                            .build())
                    .concatLazy(
                        Source.lazySource(() -> {
                          sent.set(true);
                          return Source.<ByteString>empty();
                        }))
                    .watchTermination((used, done) -> {
                      done.whenComplete((over, failure) -> {
                        if (!sent.get()) {
                          Thread.startVirtualThread(stream.abandoned());
                        }
                      });
                      return used;
                    })))
        .addHeader(Connection.create("close"))
        .addHeader(RawHeader.create("Cache-Control", "no-store"))
        .addHeader(RawHeader.create("X-Accel-Buffering", "no"));
  }

  /** Ends all streams, and those that are yet to begin; their readers come back elsewhere. */
  void drain() {
    drain.shutdown();
  }

  /** Counts it from when it is read on: one that no client comes to read is never open. */
  private <T> Source<ByteString, NotUsed> counted(
      String key, ApiResponse.Events<T> stream, Runnable recheck) {
    if (!open.enter(key)) {
      return Source.single(bytes(problem(stream, tooMany(key))));
    }
    listener.streamOpened();
    return events(stream, recheck)
        .map(EventStreams::bytes)
        .watchTermination((used, done) -> {
          done.whenComplete((ended, failure) -> {
            open.leave(key);
            listener.streamClosed();
          });
          return used;
        });
  }

  private <T> Source<ServerEvent, NotUsed> events(ApiResponse.Events<T> stream, Runnable recheck) {
    AtomicBoolean ended = new AtomicBoolean();
    return stream
        .events()
        .addAttributes(Attributes.inputBuffer(bounds.buffer(), bounds.buffer()))
        .map(stream.form()::apply)
        .merge(rechecks(recheck), true)
        .recover(
            new PFBuilder<Throwable, ServerEvent>()
                .match(Throwable.class, failure -> problem(stream, failure))
                .build())
        .map(event -> {
          ended.set(event.last());
          return event;
        })
        .concatLazy(
            Source.lazySource(
                () -> ended.get() || !stream.ends() ? Source.empty() : Source.single(end())));
  }

  /** No event ever; it fails when the check does, also while the reader takes nothing. */
  private Source<ServerEvent, ?> rechecks(Runnable check) {
    return Source.tick(bounds.heartbeat(), bounds.heartbeat(), check)
        // It may block: the key of a token may have to be read first.
        .mapAsync(
            1, due -> CompletableFuture.supplyAsync(() -> run(due), Thread::startVirtualThread))
        .mapConcat(done -> List.of());
  }

  private static Done run(Runnable check) {
    check.run();
    return Done.getInstance();
  }

  /** For one whose last event was had before. */
  private static ServerEvent end() {
    return new ServerEvent("", ServerEvent.END, JsonNodeFactory.instance.objectNode());
  }

  private ServerEvent problem(ApiResponse.Events<?> stream, Throwable failure) {
    Problem problem = Problems.of(failure).problem();
    listener.problem(problem.code());
    return stream.failed().apply(problem);
  }

  private static Refusal tooMany(String key) {
    return Refusal.of(
        Code.TOO_MANY_REQUESTS,
        key + " has too many streams open: end one of them",
        Map.of("Retry-After", "1"));
  }

  private static ByteString bytes(ServerEvent event) {
    return ByteString.fromArray(event.bytes());
  }

  /** Pekko logs it as it aborts the connection; where it was thrown says nothing. */
  private static final class SlowReader extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SlowReader() {
      super("its reader takes nothing", null, false, false);
    }
  }
}
