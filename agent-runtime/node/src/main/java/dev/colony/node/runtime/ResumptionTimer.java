package dev.colony.node.runtime;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.node.NodeBounds;
import dev.colony.node.resumption.ResumptionRounds;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;

/**
 * Wakes suspended agents at their times, and sweeps over all who wait for something. One per
 * cluster; it holds nothing but when to look next, so that the next one begins with a look and a
 * sweep of its own wherever this one ends.
 */
final class ResumptionTimer extends AbstractBehavior<ResumptionTimer.Message> {

  sealed interface Message {}

  /** A suspension waits for a time that comes soon. May be lost: it looks by itself as well. */
  @JsonTypeName("time-awaited")
  record Timed(Instant time) implements Message {}

  private record Look() implements Message, NoSerializationVerificationNeeded {}

  /** All who were to be woken are; empty also where the index could not be read. */
  private record Looked(Optional<Instant> next)
      implements Message, NoSerializationVerificationNeeded {}

  private final TimerScheduler<Message> timers;
  private final NodeBounds.Resumption bounds;
  private final ResumptionRounds rounds;
  private final InstantSource clock;
  private boolean looking;
  private boolean again;
  private Instant next = Instant.MAX;
  private final BatchWalk.Outage outage =
      new BatchWalk.Outage("suspended agents cannot be looked at");

  static Behavior<Message> create(
      NodeBounds.Resumption bounds, ResumptionRounds rounds, InstantSource clock) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(
            timers -> new ResumptionTimer(context, timers, bounds, rounds, clock)));
  }

  private ResumptionTimer(
      ActorContext<Message> context,
      TimerScheduler<Message> timers,
      NodeBounds.Resumption bounds,
      ResumptionRounds rounds,
      InstantSource clock) {
    super(context);
    this.timers = timers;
    this.bounds = bounds;
    this.rounds = rounds;
    this.clock = clock;
    // Where the sweep ends by a fault, this ends and begins anew with it.
    context.watch(
        context.spawn(
            BatchWalk.create(
                new BatchWalk.Course<ResumptionRounds.Place>(
                    ResumptionRounds.Place.BEGINNING,
                    bounds.sweep(),
                    bounds.pause(),
                    rounds::sweep),
                Duration.ZERO,
                outage),
            "sweep"));
    look();
  }

  @Override
  public Receive<Message> createReceive() {
    return newReceiveBuilder()
        .onMessage(Timed.class, this::timed)
        .onMessage(Look.class, look -> look())
        .onMessage(Looked.class, this::looked)
        .build();
  }

  private Behavior<Message> timed(Timed timed) {
    if (looking) {
      // It may have been entered behind where is being looked.
      again = true;
    } else if (timed.time().isBefore(next)) {
      lookAt(timed.time());
    }
    return this;
  }

  private Behavior<Message> look() {
    looking = true;
    again = false;
    getContext()
        .pipeToSelf(
            rounds.due(),
            (first, failure) -> {
              outage.report(failure);
              return new Looked(failure == null ? first : Optional.empty());
            });
    return this;
  }

  private Behavior<Message> looked(Looked looked) {
    looking = false;
    if (again) {
      return look();
    }
    lookAt(looked.next().orElse(Instant.MAX));
    return this;
  }

  /** Not later than after the usual time: clocks jump, and news gets lost. */
  private void lookAt(Instant time) {
    Instant now = clock.instant();
    Instant latest = now.plus(bounds.look());
    next = time.isBefore(latest) ? time : latest;
    Duration delay = Duration.between(now, next);
    timers.startSingleTimer(new Look(), delay.isPositive() ? delay : Duration.ofMillis(1));
  }
}
