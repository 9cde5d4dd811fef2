package dev.colony.agent.inbox;

import dev.colony.agent.entity.AgentSettings;
import dev.colony.agent.entity.MemberLosses;
import dev.colony.agent.retry.Backoff;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * Reads some of the inbox's buckets: soon after a hint, at once again when a full window has moved,
 * and on a slow sweep. The window of a bucket is its oldest requests; those of it that are under
 * way are not sent again, so that an agent that does not answer delays nobody but itself, and what
 * is in flight is bounded by buckets times batch.
 *
 * <p>What was sent to a node that has died is never answered. So after the loss of a member all
 * that is under way is sent once more: agents know a request again, and waiting for the timeout of
 * each would make their absence longer than the cluster takes to give them a new place.
 */
final class InboxReader extends AbstractBehavior<InboxReader.Message> {

  private static final Logger LOG = LoggerFactory.getLogger(InboxReader.class);

  /** What a reader is told, all of it by itself. */
  sealed interface Message extends NoSerializationVerificationNeeded {}

  /** Something was put into a bucket. */
  private record Hint(int bucket) implements Message {}

  /** It is time to look without a hint. */
  private record Sweep() implements Message {}

  /** A member is gone, and with it what it was sent. */
  private record MemberLost() implements Message {}

  /**
   * The shards of the lost member have no home any more; messages to them are kept from here on.
   */
  private record Resend() implements Message {}

  /** The oldest requests of a bucket; empty also where it could not be read. */
  private record Window(int bucket, List<InboxMessage> oldest) implements Message {}

  /** A request is through, for good or until it is tried again. */
  private record Delivered(int bucket, String id, boolean done) implements Message {}

  private final Inbox inbox;
  private final InboxDelivery delivery;
  private final TimerScheduler<Message> timers;
  private final Duration afterLoss;
  private final int batch;
  private final int worker;
  private final int workers;
  private final BitSet reading = new BitSet();
  private final BitSet hinted = new BitSet();
  private final BitSet full = new BitSet();
  private final Map<Integer, Set<String>> underWay = new HashMap<>();
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
    this.timers = timers;
    this.afterLoss = settings.afterLoss();
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
    MemberLosses.tell(context, MemberLost::new);
    timers.startTimerWithFixedDelay(new Sweep(), settings.sweep());
    sweep();
  }

  @Override
  public Receive<Message> createReceive() {
    return newReceiveBuilder()
        .onMessage(Hint.class, hint -> read(hint.bucket()))
        .onMessage(Window.class, this::send)
        .onMessage(Sweep.class, sweep -> sweep())
        .onMessage(Delivered.class, this::delivered)
        .onMessage(MemberLost.class, lost -> resendSoon())
        .onMessage(Resend.class, resend -> resend())
        .onSignal(PreRestart.class, restart -> stopped())
        .onSignal(PostStop.class, stop -> stopped())
        .build();
  }

  private Behavior<Message> sweep() {
    for (int bucket = worker; bucket < inbox.buckets(); bucket += workers) {
      read(bucket);
    }
    return this;
  }

  private Behavior<Message> resendSoon() {
    timers.startSingleTimer(new Resend(), afterLoss);
    return this;
  }

  private Behavior<Message> resend() {
    underWay.values().forEach(Set::clear);
    return sweep();
  }

  private Behavior<Message> read(int bucket) {
    if (reading.get(bucket)) {
      hinted.set(bucket);
      return this;
    }
    reading.set(bucket);
    getContext()
        .pipeToSelf(
            inbox.pending(bucket, batch),
            (oldest, failure) -> {
              report(failure);
              return new Window(bucket, failure == null ? oldest : List.of());
            });
    return this;
  }

  private Behavior<Message> send(Window window) {
    int bucket = window.bucket();
    reading.clear(bucket);
    full.set(bucket, window.oldest().size() == batch);
    Set<String> busy = underWay.computeIfAbsent(bucket, any -> new HashSet<>());
    List<InboxMessage> fresh =
        window.oldest().stream().filter(message -> busy.add(message.id())).toList();
    if (!fresh.isEmpty()) {
      var self = getContext().getSelf();
      delivery.deliver(bucket, fresh, (id, done) -> self.tell(new Delivered(bucket, id, done)));
    }
    if (hinted.get(bucket)) {
      hinted.clear(bucket);
      read(bucket);
    }
    return this;
  }

  private Behavior<Message> delivered(Delivered delivered) {
    Set<String> busy = underWay.get(delivered.bucket());
    busy.remove(delivered.id());
    // Half a window at a time, since each reading carries the whole of it; where nothing got
    // through, the next sweep is soon enough.
    if (delivered.done() && full.get(delivered.bucket()) && busy.size() <= batch / 2) {
      read(delivered.bucket());
    }
    return this;
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
