package dev.colony.agent.entity;

import dev.colony.blackboard.Inbox;
import java.util.BitSet;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads some of the inbox's buckets: soon after a hint, at once again after a full batch, and on a
 * slow sweep. A bucket has one batch under way at most, so what is in flight is bounded by buckets
 * times batch.
 */
final class InboxReader extends AbstractBehavior<InboxReader.Message> {

  private static final Logger LOG = LoggerFactory.getLogger(InboxReader.class);

  /** What a reader is told, all of it by itself. */
  sealed interface Message extends NoSerializationVerificationNeeded {}

  /** Something was put into a bucket. */
  private record Hint(int bucket) implements Message {}

  /** It is time to look without a hint. */
  private record Sweep() implements Message {}

  /** A batch is through; whether there may be more of it that can be delivered now. */
  private record Delivered(int bucket, boolean more) implements Message {}

  private final Inbox inbox;
  private final InboxDelivery delivery;
  private final int batch;
  private final int worker;
  private final int workers;
  private final BitSet busy = new BitSet();
  private final BitSet hinted = new BitSet();
  private final AutoCloseable hints;
  private boolean reachable = true;

  /**
   * @param worker which of the workers this is, from 0; it reads the buckets that leave this
   *     remainder
   */
  static Behavior<Message> create(
      int worker, int workers, AgentSettings.Inbox settings, Inbox inbox, InboxDelivery delivery) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(timers ->
            new InboxReader(context, timers, worker, workers, settings, inbox, delivery)));
  }

  private InboxReader(
      ActorContext<Message> context,
      TimerScheduler<Message> timers,
      int worker,
      int workers,
      AgentSettings.Inbox settings,
      Inbox inbox,
      InboxDelivery delivery) {
    super(context);
    this.inbox = inbox;
    this.delivery = delivery;
    this.batch = settings.batch();
    this.worker = worker;
    this.workers = workers;
    var self = context.getSelf();
    this.hints =
        inbox.onHint(bucket -> {
          if (bucket % workers == worker) {
            self.tell(new Hint(bucket));
          }
        });
    timers.startTimerWithFixedDelay(new Sweep(), settings.sweep());
    sweep();
  }

  @Override
  public Receive<Message> createReceive() {
    return newReceiveBuilder()
        .onMessage(Hint.class, hint -> hinted(hint.bucket()))
        .onMessage(Sweep.class, sweep -> sweep())
        .onMessage(Delivered.class, this::delivered)
        .onSignal(PreRestart.class, restart -> stopped())
        .onSignal(PostStop.class, stop -> stopped())
        .build();
  }

  private Behavior<Message> hinted(int bucket) {
    if (busy.get(bucket)) {
      hinted.set(bucket);
    } else {
      read(bucket);
    }
    return this;
  }

  private Behavior<Message> sweep() {
    for (int bucket = worker; bucket < inbox.buckets(); bucket += workers) {
      if (!busy.get(bucket)) {
        read(bucket);
      }
    }
    return this;
  }

  private Behavior<Message> delivered(Delivered delivered) {
    busy.clear(delivered.bucket());
    if (delivered.more() || hinted.get(delivered.bucket())) {
      hinted.clear(delivered.bucket());
      read(delivered.bucket());
    }
    return this;
  }

  private void read(int bucket) {
    busy.set(bucket);
    CompletionStage<Boolean> more =
        inbox
            .pending(bucket, batch)
            .thenCompose(pending ->
                delivery
                    .deliver(bucket, pending)
                    .thenApply(left -> pending.size() == batch && left < batch));
    getContext()
        .pipeToSelf(
            more,
            (again, failure) -> {
              report(failure);
              return new Delivered(bucket, failure == null && again);
            });
  }

  private void report(Throwable failure) {
    if (failure != null && reachable) {
      LOG.warn(
          "the inbox cannot be read: {}; trying again until it works",
          Backoff.cause(failure).getMessage());
    }
    reachable = failure == null;
  }

  private Behavior<Message> stopped() throws Exception {
    hints.close();
    return this;
  }
}
