package dev.colony.client.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.client.Delivery;
import dev.colony.client.http.ColonyApi.ApiAnswer;
import dev.colony.client.http.ColonyApi.ApiCall;
import dev.colony.client.http.ColonyApi.Patience;
import dev.colony.client.http.SseParser.SseEvent;
import dev.colony.client.wire.Problem;
import dev.colony.core.dispatch.Backoff;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One subscriber's way through a stream of a run over HTTP, to the run's end: through its events,
 * each once and in order, or the parts of its answers.
 *
 * <p>The normal way is one stream of server-sent events: what happens, by a name, and, last, {@code
 * end}. What the subscriber has not asked for is not read, so that it waits in the connection and
 * then in the server.
 *
 * <p>The failure way: the stream ends without an {@code end}, because a node leaves or the
 * connection is lost, or it is silent for longer than a server's heartbeats allow. Then another is
 * asked for behind the last event that was had; its token says which, to whichever node answers.
 * Parts have none: it goes on with those that come. Only a {@code problem} that does not pass, and
 * a server that cannot be reached at the beginning, end it.
 *
 * <p>Thread-safe. Of several connections the last one counts: {@link #connection} numbers them, and
 * what an earlier one still says is not heard.
 */
final class HttpEventStream<T> implements Flow.Subscription {

  private static final int STREAM = 200;
  private static final int NOTHING_MORE = 204;

  private final ColonyApi api;
  private final ApiCall call;
  private final Reading<T> reading;
  private final Optional<Supplier<CompletionStage<Void>>> again;
  private final Delivery<T> delivery;

  /** Of the last event that was had. */
  private Optional<String> last;

  private long connection;
  private Optional<Flow.Subscription> body = Optional.empty();
  private boolean asked;
  private Stopwatch heard;
  private int failed;
  private Patience patience;

  /**
   * What the stream is of.
   *
   * @param event the name of an event that is not the end
   * @param form reads an event's data, and those of an end that has some
   * @param token of the place of what was read; empty where it has none
   * @param taken is told what was read, before the subscriber is
   */
  record Reading<T>(
      String event,
      Function<JsonNode, T> form,
      Function<T, Optional<String>> token,
      Consumer<T> taken) {}

  /** What a server says when it is asked for a stream. */
  private sealed interface Opened {

    record Streaming(Flow.Publisher<List<ByteBuffer>> body) implements Opened {}

    record Told(byte[] body) implements Opened {}
  }

  /**
   * @param after the last event that the subscriber has had; empty for the beginning
   * @param again asks for the run where it is not there; empty where that is not to be
   */
  HttpEventStream(
      ColonyApi api,
      ApiCall call,
      Reading<T> reading,
      Optional<String> after,
      Optional<Supplier<CompletionStage<Void>>> again,
      Flow.Subscriber<? super T> target) {
    this.api = api;
    this.call = call;
    this.last = after;
    this.reading = reading;
    this.again = again;
    this.delivery = new Delivery<>(target);
    this.patience = Patience.of(api.bounds().giveUp());
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      fail(new IllegalArgumentException("demand must be more than 0, but is " + n));
      return;
    }
    delivery.ask(n);
    read();
  }

  @Override
  public void cancel() {
    delivery.cancel();
    disconnect();
  }

  void fail(Throwable problem) {
    delivery.end(Optional.of(Backoff.cause(problem)));
    delivery.deliver();
    disconnect();
  }

  void begin() {
    synchronized (this) {
      patience = Patience.of(api.bounds().giveUp());
    }
    connect();
  }

  private void connect() {
    if (delivery.over()) {
      return;
    }
    long number;
    HttpRequest.Builder request;
    synchronized (this) {
      number = ++connection;
      request = api.request(call);
      last.ifPresent(token -> request.header("Last-Event-ID", token));
    }
    request.header("Accept", "text/event-stream, " + Problem.MEDIA_TYPE);
    request.timeout(api.bounds().requestTimeout());
    BodyHandler<Opened> handler =
        head ->
            head.statusCode() == STREAM
                ? BodySubscribers.mapping(BodySubscribers.ofPublisher(), Opened.Streaming::new)
                : BodySubscribers.mapping(BodySubscribers.ofByteArray(), Opened.Told::new);
    api.send(request.build(), handler)
        .whenComplete((response, failure) -> {
          if (failure != null) {
            lost(number, api.unreachable(failure), Optional.empty());
          } else {
            opened(number, response);
          }
        });
  }

  private void opened(long number, HttpResponse<Opened> response) {
    switch (response.body()) {
      case Opened.Streaming streaming -> {
        streaming.body().subscribe(new Body(number));
        watch(number);
      }
      case Opened.Told told when response.statusCode() == NOTHING_MORE -> complete(number);
      case Opened.Told told -> {
        ApiAnswer answer = ApiAnswer.of(response, told.body());
        Problem problem = answer.problem();
        if (problem.retryable()) {
          lost(number, problem.failure(), answer.retryAfter());
        } else if (answer.absent() && again.isPresent()) {
          again
              .get()
              .get()
              .whenComplete((stored, refused) -> {
                if (refused == null) {
                  lost(number, problem.failure(), Optional.empty());
                } else {
                  fail(refused);
                }
              });
        } else {
          fail(problem.failure());
        }
      }
    }
  }

  private void complete(long number) {
    synchronized (this) {
      if (number != connection) {
        return;
      }
    }
    delivery.end(Optional.empty());
    delivery.deliver();
    disconnect();
  }

  private void disconnect() {
    Optional<Flow.Subscription> open;
    synchronized (this) {
      open = dropped();
    }
    open.ifPresent(Flow.Subscription::cancel);
  }

  /** Under the lock: no connection counts from here on; what is to be cancelled, after it. */
  private Optional<Flow.Subscription> dropped() {
    Optional<Flow.Subscription> open = body;
    connection++;
    body = Optional.empty();
    return open;
  }

  /** A connection is of no more use; goes on behind what was had, on another. */
  private void lost(long number, Throwable why, Optional<Duration> retryAfter) {
    Duration pause;
    boolean lasts;
    Optional<Flow.Subscription> open;
    synchronized (this) {
      if (number != connection) {
        return;
      }
      failed++;
      pause = api.pause(failed, retryAfter);
      lasts = patience.lasts(pause);
      open = dropped();
    }
    open.ifPresent(Flow.Subscription::cancel);
    if (!lasts) {
      fail(why);
      return;
    }
    CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS)
        .execute(this::connect);
  }

  /** Looks now and then whether a connection that should say something is dead. */
  private void watch(long number) {
    Duration silence = api.bounds().silence();
    CompletableFuture.delayedExecutor(silence.toMillis(), TimeUnit.MILLISECONDS)
        .execute(() -> {
          boolean dead;
          synchronized (this) {
            if (number != connection) {
              return;
            }
            dead = asked && heard.isOver(silence);
          }
          if (dead) {
            lost(number, new AgentException("the stream is silent", null, true), Optional.empty());
          } else {
            watch(number);
          }
        });
  }

  /** Reads on if the subscriber wants what is not there. */
  private void read() {
    Flow.Subscription open;
    synchronized (this) {
      if (asked || body.isEmpty() || !delivery.wanting()) {
        return;
      }
      asked = true;
      heard = Stopwatch.start();
      open = body.get();
    }
    open.request(1);
  }

  private void take(long number, SseEvent event) {
    synchronized (this) {
      if (number != connection) {
        return;
      }
      failed = 0;
    }
    switch (event.name()) {
      case "end" -> {
        JsonNode json = json(event);
        // A subscriber that has had the end already is told no more than that it was the end.
        if (json.hasNonNull("runId")) {
          progress(number, reading.form().apply(json));
        }
        complete(number);
      }
      case "problem" -> {
        Problem problem = Problem.fromJson(json(event));
        if (problem.retryable()) {
          lost(number, problem.failure(), Optional.empty());
        } else {
          fail(problem.failure());
        }
      }
      case String name when name.equals(reading.event()) ->
          progress(number, reading.form().apply(json(event)));
      default -> {
        // A newer server may say more.
      }
    }
  }

  private void progress(long number, T event) {
    Optional<String> token = reading.token().apply(event);
    synchronized (this) {
      if (number != connection || token.isPresent() && last.equals(token)) {
        return;
      }
      last = token;
      // Before the next connection asks for what is behind it.
      delivery.put(event);
    }
    reading.taken().accept(event);
    delivery.deliver();
  }

  private static JsonNode json(SseEvent event) {
    try {
      return JsonValues.parse(event.data());
    } catch (JsonProcessingException malformed) {
      throw new AgentException(
          "an event of the stream is no JSON: " + malformed.getOriginalMessage(), malformed, false);
    }
  }

  /** What one connection brings. */
  private final class Body implements Flow.Subscriber<List<ByteBuffer>> {

    private final long number;
    private final SseParser parser = new SseParser(api.bounds().maxEventBytes());

    Body(long number) {
      this.number = number;
    }

    @Override
    public void onSubscribe(Flow.Subscription established) {
      boolean late;
      synchronized (HttpEventStream.this) {
        late = number != connection;
        if (!late) {
          body = Optional.of(established);
          asked = false;
          // It was reached once; from here on every outage is waited out.
          patience = Patience.unless(delivery::over);
        }
      }
      if (late) {
        established.cancel();
      } else {
        read();
      }
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
      synchronized (HttpEventStream.this) {
        if (number != connection) {
          return;
        }
      }
      try {
        for (ByteBuffer some : bytes) {
          parser.feed(some).forEach(event -> take(number, event));
        }
      } catch (RuntimeException malformed) {
        fail(malformed);
      }
      synchronized (HttpEventStream.this) {
        if (number != connection) {
          return;
        }
        asked = false;
      }
      read();
    }

    @Override
    public void onError(Throwable failure) {
      lost(number, api.unreachable(failure), Optional.empty());
    }

    @Override
    public void onComplete() {
      lost(number, new AgentException("the stream has ended", null, true), Optional.empty());
    }
  }
}
