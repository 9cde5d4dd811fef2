package dev.colony.agent.client;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** A run that was asked for, from where its id is known until after its end. */
public interface RunHandle {

  /** Known before anything was sent. */
  RunId runId();

  /**
   * Completes when the request is stored, and survives from then on; fails as {@link #result} does
   * where it cannot be. Of a run that was asked for before, completes when it was found.
   */
  CompletableFuture<Void> stored();

  /**
   * The run's end. Fails with {@link AgentException} if the request could not be stored, if the run
   * was asked for with another input before, if there is no such run to attach to, if the
   * blackboard refuses to be read for good, or if the time of {@link RunOptions#timeout} is over;
   * in the latter two cases the run goes on.
   */
  CompletableFuture<AgentRun> result();

  /**
   * Waits for the run's end, as {@link #result} has it; blocks the calling thread.
   *
   * @throws java.util.concurrent.CompletionException with what {@link #result} fails with as cause
   */
  default AgentRun join() {
    return result().join();
  }

  /**
   * Has each of {@link #events} acted on, one after the other in their order, the end last; the
   * next is asked for when the action returns.
   *
   * @param action called on a thread of the client's: what takes long or blocks belongs elsewhere
   * @return the run's end, once the action has had it; fails as {@link #events} does, and with what
   *     the action throws, which ends the subscription. Cancelling it ends the subscription too
   */
  default CompletableFuture<AgentRun> forEach(Consumer<? super RunProgress> action) {
    AtomicReference<AgentRun> last = new AtomicReference<>();
    CompletableFuture<AgentRun> ended = new CompletableFuture<>();
    CompletableFuture<Void> heard =
        OnEach.of(
            events(),
            event -> {
              event.end().ifPresent(last::set);
              action.accept(event);
            });
    heard.whenComplete((done, failure) -> {
      if (failure == null) {
        ended.complete(last.get());
      } else {
        ended.completeExceptionally(failure);
      }
    });
    ended.whenComplete((done, failure) -> heard.cancel(false));
    return ended;
  }

  /**
   * What the run makes known from its beginning on and then its end, each once and in order,
   * however late the subscriber comes and however slow it is.
   *
   * <p>Where events are no longer stored because too many came after them, and only then, it fails
   * with {@link dev.colony.blackboard.BlackboardException.Reason#EVENTS_LOST} and says how many. It
   * fails as {@link #result} does, too, and with {@link dev.colony.blackboard.BlackboardException}
   * if the blackboard cannot be reached when it begins; later outages are waited out.
   */
  default Flow.Publisher<RunProgress> events() {
    return events(Optional.empty(), true);
  }

  /**
   * The same, from right behind an event that a subscriber has had, in whatever process; of the
   * last one, nothing.
   *
   * @param token of that event
   * @throws IllegalArgumentException if it is no token of this run
   */
  default Flow.Publisher<RunProgress> events(String token) {
    return events(Optional.of(token), true);
  }

  /**
   * The events that are still stored: unlike {@link #events()} it does not fail where older events
   * have been trimmed away, and a subscriber does not learn that they have been.
   */
  default Flow.Publisher<RunProgress> retained() {
    return events(Optional.empty(), false);
  }

  /**
   * The same from right behind an event that a subscriber has had, see {@link #events(String)}.
   *
   * @throws IllegalArgumentException if it is no token of this run
   */
  default Flow.Publisher<RunProgress> retained(String token) {
    return events(Optional.of(token), false);
  }

  /**
   * The four of them in one.
   *
   * @param after the token of an event that a subscriber has had; empty for from the beginning
   * @param whole whether it fails where older events have been trimmed away
   * @throws IllegalArgumentException if it is no token of this run
   */
  Flow.Publisher<RunProgress> events(Optional<String> after, boolean whole);

  /**
   * What models are answering to the run's calls while it goes on and, of a run that no other has
   * set off, to those of the runs it sets off; completes with the run's end.
   *
   * <p>Nothing of it is stored. A subscriber has the parts from when it comes, each at most once,
   * those of one call in their order; what it has missed shows by {@link ReplyPart#index}. A call
   * that is made again begins with {@link ReplyPart.Kind#ASKED}; one whose reply is known from
   * before, as after a crash, is not made and has no parts. While the subscriber asks for less than
   * there is, the parts of a call are joined, and beyond 100,000 characters the oldest are dropped.
   * It fails as {@link #result} does.
   */
  Flow.Publisher<ReplyPart> parts();

  /**
   * Acts on each element of a stream: the events of a run, of a blackboard. One is asked for at a
   * time, so that a slow action is never overrun.
   */
  static final class OnEach<T> implements Flow.Subscriber<T> {

    private final Consumer<? super T> action;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private volatile Flow.Subscription subscription;

    private OnEach(Consumer<? super T> action) {
      this.action = Objects.requireNonNull(action, "action");
    }

    /**
     * Subscribes.
     *
     * @param action called for one element after the other, on the stream's threads
     * @return completes with the stream, and fails as it does or with what the action throws, which
     *     ends the subscription; cancelling it ends the subscription too
     */
    public static <T> CompletableFuture<Void> of(
        Flow.Publisher<? extends T> stream, Consumer<? super T> action) {
      OnEach<T> each = new OnEach<>(action);
      stream.subscribe(each);
      return each.end;
    }

    @Override
    public void onSubscribe(Flow.Subscription established) {
      subscription = established;
      // A caller that completes or cancels the future wants nothing more.
      end.whenComplete((done, failure) -> established.cancel());
      if (!end.isDone()) {
        established.request(1);
      }
    }

    @Override
    public void onNext(T element) {
      if (end.isDone()) {
        return;
      }
      try {
        action.accept(element);
      } catch (RuntimeException | Error failure) {
        end.completeExceptionally(failure);
        return;
      }
      if (!end.isDone()) {
        subscription.request(1);
      }
    }

    @Override
    public void onError(Throwable failure) {
      end.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      end.complete(null);
    }
  }
}
