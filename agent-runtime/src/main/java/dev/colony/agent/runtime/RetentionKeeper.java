package dev.colony.agent.runtime;

import dev.colony.agent.retention.Keeping;
import dev.colony.agent.retention.RetentionSettings;
import dev.colony.agent.retry.Backoff;
import java.util.Optional;
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
 * Has what is stored looked at from time to time, so that what has had its time goes. One per
 * cluster; where it ends, the next one begins with a look of its own.
 */
final class RetentionKeeper extends AbstractBehavior<RetentionKeeper.Message> {

  private static final Logger LOG = LoggerFactory.getLogger(RetentionKeeper.class);

  /** What it is told, by itself. */
  sealed interface Message extends NoSerializationVerificationNeeded {}

  /** It is time for a look. */
  private record Look() implements Message {}

  /** The pause after a batch is over. */
  private record NextBatch(Keeping.Place from) implements Message {}

  /** A batch has been looked at; empty at the end, or where it could not be. */
  private record Looked(Optional<Keeping.Place> next) implements Message {}

  private final TimerScheduler<Message> timers;
  private final RetentionSettings settings;
  private final Keeping keeping;
  private boolean looking;
  private boolean reachable = true;

  static Behavior<Message> create(RetentionSettings settings, Keeping keeping) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(timers -> new RetentionKeeper(context, timers, settings, keeping)));
  }

  private RetentionKeeper(
      ActorContext<Message> context,
      TimerScheduler<Message> timers,
      RetentionSettings settings,
      Keeping keeping) {
    super(context);
    this.timers = timers;
    this.settings = settings;
    this.keeping = keeping;
    timers.startTimerWithFixedDelay(new Look(), settings.sweep());
  }

  @Override
  public Receive<Message> createReceive() {
    return newReceiveBuilder()
        .onMessage(Look.class, look -> looking ? this : look(Keeping.Place.BEGINNING))
        .onMessage(NextBatch.class, batch -> look(batch.from()))
        .onMessage(Looked.class, this::looked)
        .build();
  }

  private Behavior<Message> look(Keeping.Place from) {
    looking = true;
    getContext()
        .pipeToSelf(
            keeping.look(from),
            (next, failure) -> {
              report(failure);
              return new Looked(failure == null ? next : Optional.empty());
            });
    return this;
  }

  private Behavior<Message> looked(Looked looked) {
    looking = looked.next().isPresent();
    looked
        .next()
        .ifPresent(place -> timers.startSingleTimer(new NextBatch(place), settings.pause()));
    return this;
  }

  /** Called on any thread; at worst a warning comes twice. */
  private void report(Throwable failure) {
    if (failure != null && reachable) {
      LOG.warn(
          "what is stored cannot be looked at for what has had its time: {}; it is tried again",
          Backoff.cause(failure).getMessage());
    }
    reachable = failure == null;
  }
}
