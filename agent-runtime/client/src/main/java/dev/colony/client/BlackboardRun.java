package dev.colony.client;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunId;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Topics;
import dev.colony.client.ProgressSurvey.ProgressEvents;
import dev.colony.client.ReplyTopics.PartStream;
import dev.colony.client.RunPlace.RunTimeout;
import dev.colony.client.RunPlace.StreamToken;
import dev.colony.core.dispatch.Backoff;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run as it shows on the blackboard. The result is awaited from when a caller first asks for it,
 * by its event, which a subscription delivers from the request's position on, so that it cannot be
 * missed. For a run that no caller asked for, and one that was asked for so long ago that the
 * events from there on are no longer stored, the subscription begins now and the key itself is
 * read. After a lost connection a slow poll reads it.
 *
 * <p>A run that was asked for here and of which nothing is there any more, neither request nor
 * result, was lost by the store. It is asked for again, under its id: an agent that has accepted it
 * does not do it twice.
 */
final class BlackboardRun implements RunHandle {

  private static final Logger LOG = LoggerFactory.getLogger(BlackboardRun.class);

  /** Characters of the parts of running answers that are held for a slow subscriber. */
  private static final int HELD_PARTS = 100_000;

  private final RunPlace place;
  private final Blackboard board;
  private final ReplyTopics replies;
  private final ClientSettings settings;
  private final CompletionStage<StoredRun> origin;
  private final Optional<Supplier<CompletionStage<StoredRun>>> again;
  private final CompletableFuture<AgentRun> result = new CompletableFuture<>();
  private final AtomicBoolean awaited = new AtomicBoolean();
  private final ResultListener listener = new ResultListener();

  /**
   * @param origin fails with {@link AgentException} or as the blackboard does
   * @param replies where the parts of its answers are heard
   * @param again asks for the run once more; empty where it was asked for elsewhere
   */
  BlackboardRun(
      RunPlace place,
      Blackboard board,
      ReplyTopics replies,
      CompletionStage<StoredRun> origin,
      Optional<Supplier<CompletionStage<StoredRun>>> again,
      Optional<Duration> timeout,
      ClientSettings settings) {
    this.place = place;
    this.board = board;
    this.replies = replies;
    this.settings = settings;
    this.again = again;
    this.origin =
        origin.whenComplete((found, failure) -> {
          if (failure == null) {
            found.end().ifPresent(result::complete);
          } else {
            result.completeExceptionally(Backoff.cause(failure));
          }
        });
    timeout.ifPresent(longest -> RunTimeout.set(result, place, this.origin, longest));
    result.whenComplete((run, failure) -> listener.cancel());
  }

  @Override
  public RunId runId() {
    return place.runId();
  }

  @Override
  public CompletableFuture<Void> stored() {
    return origin.thenAccept(found -> {}).toCompletableFuture();
  }

  @Override
  public CompletableFuture<AgentRun> result() {
    if (awaited.compareAndSet(false, true)) {
      origin.thenAccept(this::await);
    }
    return result.copy();
  }

  @Override
  public Flow.Publisher<RunProgress> events(Optional<String> after, boolean whole) {
    Optional<StreamToken> token = after.map(text -> StreamToken.parse(text, place));
    return new ProgressEvents(place, board, origin, result, token, whole);
  }

  @Override
  public Flow.Publisher<ReplyPart> parts() {
    return subscriber -> {
      CompletableFuture<Topics.Listening> listening = new CompletableFuture<>();
      PartStream stream =
          new PartStream(
              subscriber, HELD_PARTS, () -> listening.thenAccept(Topics.Listening::close));
      subscriber.onSubscribe(stream);
      listening.complete(replies.listen(place.agent(), place.runId(), stream::add));
      result()
          .whenComplete(
              (run, failure) -> stream.end(Optional.ofNullable(failure).map(Backoff::cause)));
    };
  }

  private void await(StoredRun found) {
    if (result.isDone()) {
      return;
    }
    found
        .request()
        .ifPresentOrElse(
            request -> {
              follow(SubscribeFrom.after(request));
              pollLater();
            },
            () -> {
              follow(SubscribeFrom.now());
              poll();
            });
  }

  private void follow(SubscribeFrom from) {
    board.subscribe(place.resultKey(), from).subscribe(listener);
  }

  /** What else is wrong with the blackboard, the poll says. */
  private void unheard(Throwable failure) {
    if (failure instanceof BlackboardException board && board.reason() == Reason.EVENTS_LOST) {
      follow(SubscribeFrom.now());
      read();
    }
  }

  private CompletionStage<Void> read() {
    return StoredRun.read(place, board)
        .thenCompose(found -> {
          found.end().ifPresent(result::complete);
          return found.gone() && !result.isDone() && place.ownRun() && again.isPresent()
              ? askAgain(again.get())
              : CompletableFuture.completedStage(null);
        });
  }

  /** A refusal is the end of the run; another failure is found by the next poll. */
  private CompletionStage<Void> askAgain(Supplier<CompletionStage<StoredRun>> request) {
    LOG.warn(
        "run {} of {} was stored and is there no more: it is asked for again",
        place.runId(),
        place.agent());
    return request.get().thenAccept(asked -> {});
  }

  private void poll() {
    read()
        .whenComplete((read, failure) -> {
          if (failure == null || passing(failure)) {
            pollLater();
          } else {
            result.completeExceptionally(notRead(failure));
          }
        });
  }

  private void pollLater() {
    if (!result.isDone()) {
      Executor later =
          CompletableFuture.delayedExecutor(settings.poll().toMillis(), TimeUnit.MILLISECONDS);
      later.execute(() -> {
        if (!result.isDone()) {
          poll();
        }
      });
    }
  }

  private AgentException notRead(Throwable failure) {
    return new AgentException(
        "the result of run "
            + place.runId()
            + " cannot be read: "
            + Backoff.cause(failure).getMessage(),
        Backoff.cause(failure),
        false);
  }

  static boolean passing(Throwable failure) {
    return Backoff.cause(failure) instanceof BlackboardException board && board.retryable();
  }

  /** Completes the result with the first that the subscription delivers. */
  private final class ResultListener implements Flow.Subscriber<BlackboardEvent> {

    private Flow.Subscription subscription;
    private boolean cancelled;

    @Override
    public void onSubscribe(Flow.Subscription established) {
      boolean late;
      synchronized (this) {
        subscription = established;
        late = cancelled;
      }
      if (late) {
        established.cancel();
      } else {
        established.request(Long.MAX_VALUE);
      }
    }

    @Override
    public void onNext(BlackboardEvent event) {
      if (event instanceof BlackboardEvent.Written written) {
        result.complete(place.result(written.value()));
      }
    }

    @Override
    public void onError(Throwable failure) {
      unheard(failure);
    }

    @Override
    public void onComplete() {
      // The blackboard is closed; the poll reports it.
    }

    void cancel() {
      Flow.Subscription established;
      synchronized (this) {
        cancelled = true;
        established = subscription;
      }
      if (established != null) {
        established.cancel();
      }
    }
  }
}
