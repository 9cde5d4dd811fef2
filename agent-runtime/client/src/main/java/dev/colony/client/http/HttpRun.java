package dev.colony.client.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunId;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.client.RunPlace;
import dev.colony.client.RunPlace.RunTimeout;
import dev.colony.client.http.ColonyApi.ApiCall;
import dev.colony.client.http.ColonyApi.Patience;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.RunEvent;
import dev.colony.client.wire.WireJson.RunState;
import dev.colony.core.dispatch.Backoff;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run behind the API. The result is asked for by long polls, which begin when a caller wants it:
 * a subscriber to the events needs none, for their last is the result.
 */
final class HttpRun implements RunHandle {

  private static final Logger LOG = LoggerFactory.getLogger(HttpRun.class);

  private final RunPlace place;
  private final ColonyApi api;
  private final ApiCall call;
  private final CompletableFuture<AgentRun> result = new CompletableFuture<>();
  private final AtomicBoolean polling = new AtomicBoolean();
  private final CompletionStage<Optional<AgentRun>> found;
  private final Optional<Supplier<CompletionStage<Void>>> again;

  /**
   * @param call asks whether the run has ended
   * @param found completes when the run is there, with its end if that was there too
   * @param again asks for the run where its request is gone; empty where that is not to be
   */
  private HttpRun(
      RunPlace place,
      ColonyApi api,
      ApiCall call,
      CompletionStage<Optional<AgentRun>> found,
      Optional<Supplier<CompletionStage<Void>>> again,
      Optional<Duration> timeout) {
    this.place = place;
    this.api = api;
    this.call = call;
    this.again = again;
    this.found =
        found.whenComplete((end, failure) -> {
          if (failure != null) {
            result.completeExceptionally(Backoff.cause(failure));
          } else {
            end.ifPresent(result::complete);
          }
        });
    timeout.ifPresent(longest -> RunTimeout.set(result, place, this.found, longest));
  }

  /** One that is asked for here, and again where its request is gone from the store. */
  static HttpRun asked(
      RunPlace place,
      ColonyApi api,
      ApiCall call,
      Supplier<CompletionStage<Void>> request,
      Optional<Duration> timeout) {
    return new HttpRun(
        place,
        api,
        call,
        request.get().thenApply(stored -> Optional.empty()),
        Optional.of(request).filter(any -> place.ownRun()),
        timeout);
  }

  /** One that was asked for before. */
  static HttpRun attached(RunPlace place, ColonyApi api, ApiCall call, Optional<Duration> timeout) {
    AtomicBoolean over = new AtomicBoolean();
    HttpRun run =
        new HttpRun(
            place,
            api,
            call,
            api.call(call, Patience.unless(over::get))
                .handle((state, failure) -> {
                  if (failure != null) {
                    throw unread(place, Backoff.cause(failure));
                  }
                  return state(state).result();
                }),
            Optional.empty(),
            timeout);
    run.result.whenComplete((end, failure) -> over.set(true));
    return run;
  }

  @Override
  public RunId runId() {
    return place.runId();
  }

  @Override
  public CompletableFuture<Void> stored() {
    return found.thenAccept(end -> {}).toCompletableFuture();
  }

  @Override
  public CompletableFuture<AgentRun> result() {
    if (polling.compareAndSet(false, true)) {
      found.thenRun(this::poll);
    }
    return result.copy();
  }

  @Override
  public Flow.Publisher<ReplyPart> parts() {
    return follow(
        part("/parts"),
        Optional.empty(),
        new HttpEventStream.Reading<>(
            "part",
            json -> WireJson.answer("part of an answer", json, ReplyPart.class),
            part -> Optional.empty(),
            part -> {}));
  }

  private ApiCall part(String path) {
    return new ApiCall(
        "GET", call.path() + path, call.query(), call.body(), Duration.ZERO, Optional.empty());
  }

  @Override
  public Flow.Publisher<RunProgress> events(Optional<String> after, boolean whole) {
    after.ifPresent(place::checkToken);
    ApiCall stream = part("/events");
    return follow(
        whole ? stream : stream.query("retained", true),
        after,
        new HttpEventStream.Reading<>(
            "progress",
            RunEvent::read,
            event -> Optional.of(event.token()),
            event -> event.end().ifPresent(result::complete)));
  }

  private <T> Flow.Publisher<T> follow(
      ApiCall stream, Optional<String> after, HttpEventStream.Reading<T> reading) {
    return subscriber -> {
      HttpEventStream<T> events =
          new HttpEventStream<>(
              api, stream, reading, after, again.map(request -> this::askAgain), subscriber);
      subscriber.onSubscribe(events);
      found.thenRun(events::begin);
      result.whenComplete((end, failure) -> {
        if (failure != null) {
          events.fail(failure);
        }
      });
    };
  }

  private void poll() {
    if (result.isDone()) {
      return;
    }
    Stopwatch asked = Stopwatch.start();
    state(call.waiting(api.bounds().longPoll()), Patience.unless(result::isDone))
        .whenComplete((end, failure) -> {
          if (failure != null) {
            result.completeExceptionally(unread(place, Backoff.cause(failure)));
          } else if (end.isPresent()) {
            result.complete(end.get());
          } else {
            pollAgain(asked.elapsed());
          }
        });
  }

  private CompletionStage<Optional<AgentRun>> state(ApiCall asked, Patience patience) {
    return again.isEmpty()
        ? api.call(asked, patience).thenApply(there -> state(there).result())
        : api.find(asked, patience)
            .thenCompose(state ->
                state
                    .map(found -> CompletableFuture.completedStage(state(found).result()))
                    .orElseGet(() -> askAgain().thenApply(none -> Optional.empty())));
  }

  static RunState state(JsonNode answer) {
    return WireJson.answer("state of a run", answer, RunState.class);
  }

  /** The request was stored, and is there no more: the store has lost it. */
  private CompletionStage<Void> askAgain() {
    LOG.warn(
        "run {} of {} was stored and is there no more: it is asked for again",
        place.runId(),
        place.agent());
    return again.orElseThrow().get();
  }

  /** At once after a poll that was long. */
  private void pollAgain(Duration took) {
    Duration least = api.bounds().leastPause();
    long pause = Math.max(0, least.minus(took).toMillis());
    CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS).execute(this::poll);
  }

  private static RuntimeException unread(RunPlace place, Throwable cause) {
    return cause instanceof AgentException refused
        ? refused
        : new AgentException(
            "the result of run " + place.runId() + " cannot be read: " + cause.getMessage(),
            cause,
            false);
  }
}
