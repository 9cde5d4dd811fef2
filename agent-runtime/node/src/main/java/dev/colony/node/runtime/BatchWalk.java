package dev.colony.node.runtime;

import dev.colony.core.dispatch.Backoff;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes over all that is stored from time to time, in batches with pauses. It holds nothing but
 * where it is, so that where it ends, the next one begins anew; a walk in which a batch fails ends,
 * and the next time begins one.
 *
 * @param <P> a place that a walk has come to
 */
final class BatchWalk<P> extends AbstractBehavior<BatchWalk.Message> {

  private static final Logger LOG = LoggerFactory.getLogger(BatchWalk.class);

  sealed interface Message extends NoSerializationVerificationNeeded {}

  private record Begin() implements Message {}

  private record NextBatch<P>(P from) implements Message {}

  /** A batch is done; empty at the end, or where it failed. */
  private record BatchDone<P>(Optional<P> next) implements Message {}

  /**
   * How a walk goes.
   *
   * @param every between the beginnings of two walks; one that still goes on is not begun again
   * @param pause between two batches
   * @param batch where a walk goes on behind a place; empty at its end
   */
  record Course<P>(
      P beginning,
      Duration every,
      Duration pause,
      Function<P, CompletionStage<Optional<P>>> batch) {}

  /** Says once that what is stored cannot be read, until it can be again. Thread-safe. */
  static final class Outage {
    private final String what;
    private final AtomicBoolean said = new AtomicBoolean();

    /**
     * @param what cannot be done, as the beginning of a line
     */
    Outage(String what) {
      this.what = what;
    }

    /** How an attempt has ended; null if it has not failed. */
    void report(Throwable failure) {
      if (failure == null) {
        said.set(false);
      } else if (!said.getAndSet(true)) {
        LOG.warn("{}: {}; it is tried again", what, Backoff.cause(failure).getMessage());
      }
    }
  }

  private final TimerScheduler<Message> timers;
  private final Course<P> course;
  private final Outage outage;
  private boolean walking;

  /**
   * @param first until the first walk
   */
  static <P> Behavior<Message> create(Course<P> course, Duration first, Outage outage) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(timers -> new BatchWalk<>(context, timers, course, first, outage)));
  }

  private BatchWalk(
      ActorContext<Message> context,
      TimerScheduler<Message> timers,
      Course<P> course,
      Duration first,
      Outage outage) {
    super(context);
    this.timers = timers;
    this.course = course;
    this.outage = outage;
    timers.startTimerWithFixedDelay(new Begin(), first, course.every());
  }

  @Override
  @SuppressWarnings("unchecked") // it tells itself of places of its own
  public Receive<Message> createReceive() {
    return newReceiveBuilder()
        .onMessage(Begin.class, begin -> walking ? this : walk(course.beginning()))
        .onMessage(NextBatch.class, next -> walk((P) next.from()))
        .onMessage(BatchDone.class, done -> done((Optional<P>) done.next()))
        .build();
  }

  private Behavior<Message> walk(P from) {
    walking = true;
    getContext()
        .pipeToSelf(
            course.batch().apply(from),
            (next, failure) -> {
              outage.report(failure);
              return new BatchDone<>(failure == null ? next : Optional.<P>empty());
            });
    return this;
  }

  private Behavior<Message> done(Optional<P> next) {
    walking = next.isPresent();
    next.ifPresent(place -> timers.startSingleTimer(new NextBatch<>(place), course.pause()));
    return this;
  }
}
