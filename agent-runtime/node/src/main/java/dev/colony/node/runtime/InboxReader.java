package dev.colony.node.runtime;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.core.dispatch.Backoff;
import dev.colony.node.NodeBounds;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.cluster.Cluster;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads some of the inbox's buckets: soon after a hint, and on a slow sweep. It reads on behind
 * what it has read, however much of that still waits; {@link DeliveryLanes} says what is sent when,
 * so that an agent that does not answer delays no other agent, and what is in flight is bounded.
 *
 * <p>What was sent to a node that has died is never answered. So after the loss of a member all
 * that is under way is sent once more: agents know a request again, and waiting for the timeout of
 * each would make their absence longer than the cluster takes to give them a new place.
 */
final class InboxReader extends AbstractBehavior<InboxReader.Message> {

  private static final Logger LOG = LoggerFactory.getLogger(InboxReader.class);

  sealed interface Message extends NoSerializationVerificationNeeded {}

  /** Something was put into a bucket. */
  private record Hint(int bucket) implements Message {}

  private record Sweep() implements Message {}

  private record MemberLost() implements Message {}

  /**
   * The shards of the lost member have no home any more; messages to them are kept from here on.
   */
  private record Resend() implements Message {}

  /** A page of a bucket behind a message; no page where it could not be read. */
  private record Page(int bucket, Optional<String> after, Optional<List<InboxMessage>> messages)
      implements Message {}

  /** A page for lanes of which not all was held. */
  private record Rest(int bucket, String from, Optional<List<InboxMessage>> messages)
      implements Message {}

  /** Messages that were known by their ids; none where they could not be read. */
  private record Fetched(
      int bucket, List<DeliveryLanes.ToSend> wanted, Optional<List<InboxMessage>> messages)
      implements Message {}

  private record Delivered(int bucket, String id, long attempt, InboxDelivery.Outcome outcome)
      implements Message {}

  /** Something that waited may be sent. */
  private record Due(int bucket) implements Message {}

  /** Dead letters may be too old. */
  private record Trim() implements Message {}

  private record Bucket(DeliveryLanes lanes, BucketCursor cursor) {}

  private static final Duration TICK = Duration.ofMillis(10);
  private static final Duration TRIM = Duration.ofHours(1);

  private final Inbox inbox;
  private final InstantSource clock;
  private final InboxDelivery delivery;
  private final TimerScheduler<Message> timers;
  private final Cluster cluster;
  private final NodeBounds.Inbox bounds;
  private final int worker;
  private final int workers;
  private final BitSet reading = new BitSet();
  private final BitSet hinted = new BitSet();
  private final BitSet readingRest = new BitSet();
  private final Map<Integer, Bucket> buckets = new HashMap<>();
  private final AutoCloseable hints;
  private boolean reachable = true;

  /** How many members were lost; read where deliveries fail. */
  private volatile int losses;

  /**
   * @param worker which of the workers this is, from 0; it reads the buckets that leave this
   *     remainder
   */
  static Behavior<Message> create(
      int worker,
      int workers,
      NodeBounds.Inbox bounds,
      Blackboards blackboards,
      InboxDelivery delivery) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(timers ->
            new InboxReader(context, timers, worker, workers, bounds, blackboards, delivery)));
  }

  private InboxReader(
      ActorContext<Message> context,
      TimerScheduler<Message> timers,
      int worker,
      int workers,
      NodeBounds.Inbox bounds,
      Blackboards blackboards,
      InboxDelivery delivery) {
    super(context);
    this.inbox = blackboards.inbox();
    this.clock = blackboards.clock();
    this.delivery = delivery;
    this.timers = timers;
    this.cluster = Cluster.get(context.getSystem());
    this.bounds = bounds;
    this.worker = worker;
    this.workers = workers;
    var self = context.getSelf();
    this.hints =
        inbox.onHint(bucket -> {
          if (bucket % workers == worker) {
            self.tell(new Hint(bucket));
          }
        });
    Waker.MemberLosses.tell(context, MemberLost::new);
    timers.startTimerWithFixedDelay(new Sweep(), bounds.sweep());
    timers.startTimerWithFixedDelay(new Trim(), TRIM);
    sweep();
  }

  @Override
  public Receive<Message> createReceive() {
    return newReceiveBuilder()
        .onMessage(Hint.class, hint -> hinted(hint.bucket()))
        .onMessage(Page.class, this::page)
        .onMessage(Rest.class, this::rest)
        .onMessage(Fetched.class, this::fetched)
        .onMessage(Delivered.class, this::delivered)
        .onMessage(Due.class, due -> send(due.bucket(), List.of()))
        .onMessage(Sweep.class, sweep -> sweep())
        .onMessage(Trim.class, trim -> trim())
        .onMessage(MemberLost.class, lost -> resendSoon())
        .onMessage(Resend.class, resend -> resend())
        .onSignal(PreRestart.class, restart -> stopped())
        .onSignal(PostStop.class, stop -> stopped())
        .build();
  }

  private Behavior<Message> sweep() {
    eachBucket(this::read);
    return this;
  }

  private Behavior<Message> trim() {
    eachBucket(bucket ->
        inbox
            .trim(bucket)
            .exceptionally(failure -> {
              LOG.debug("the dead letters of bucket {} are not looked at, this time", bucket);
              return null;
            }));
    return this;
  }

  private void eachBucket(IntConsumer look) {
    for (int bucket = worker; bucket < inbox.buckets(); bucket += workers) {
      look.accept(bucket);
    }
  }

  private Behavior<Message> resendSoon() {
    losses++;
    timers.startSingleTimer(new Resend(), bounds.afterLoss());
    return this;
  }

  private Behavior<Message> resend() {
    buckets.values().forEach(bucket -> bucket.lanes().resend(clock.instant()));
    buckets.keySet().forEach(bucket -> send(bucket, List.of()));
    return sweep();
  }

  private Bucket bucket(int number) {
    return buckets.computeIfAbsent(
        number,
        any -> {
          DeliveryLanes lanes = new DeliveryLanes(bounds.lanes());
          return new Bucket(lanes, new BucketCursor(lanes));
        });
  }

  private DeliveryLanes lanes(int bucket) {
    return bucket(bucket).lanes();
  }

  private BucketCursor cursor(int bucket) {
    return bucket(bucket).cursor();
  }

  private Behavior<Message> hinted(int bucket) {
    lanes(bucket).hinted(clock.instant());
    read(bucket);
    return send(bucket, List.of());
  }

  private void read(int bucket) {
    if (reading.get(bucket)) {
      hinted.set(bucket);
      return;
    }
    reading.set(bucket);
    Optional<String> after = cursor(bucket).last();
    getContext()
        .pipeToSelf(
            inbox.pending(bucket, after, bounds.lanes().batch()),
            (page, failure) -> new Page(bucket, after, read(page, failure)));
  }

  private Optional<List<InboxMessage>> read(List<InboxMessage> page, Throwable failure) {
    report(failure);
    return Optional.ofNullable(page);
  }

  private Behavior<Message> page(Page page) {
    int bucket = page.bucket();
    BucketCursor cursor = cursor(bucket);
    reading.clear(bucket);
    List<InboxMessage> messages = page.messages().orElse(List.of());
    if (page.messages().isEmpty()) {
      // What comes back may have lost its last messages, and numbers new ones like those.
      cursor.restart();
    } else if (page.after().equals(cursor.last())) {
      cursor.read(messages, clock.instant());
      send(bucket, messages);
    }
    if (hinted.get(bucket) || messages.size() == bounds.lanes().batch()) {
      hinted.clear(bucket);
      read(bucket);
    }
    return this;
  }

  /** Sends what may be sent; what was just read need not be read again. */
  private Behavior<Message> send(int bucket, List<InboxMessage> known) {
    DeliveryLanes lanes = lanes(bucket);
    List<DeliveryLanes.ToSend> due = lanes.take(clock.instant());
    if (!due.isEmpty()) {
      Set<String> read = known.stream().map(InboxMessage::id).collect(Collectors.toSet());
      if (due.stream().allMatch(one -> read.contains(one.id()))) {
        deliver(bucket, due, known);
      } else {
        fetch(bucket, due);
      }
    }
    cursor(bucket)
        .restFrom()
        .filter(from -> !readingRest.get(bucket))
        .ifPresent(from -> readRest(bucket, from));
    lanes
        .nextDue()
        .ifPresent(at -> {
          Duration wait = Duration.between(clock.instant(), at);
          timers.startSingleTimer(bucket, new Due(bucket), wait.compareTo(TICK) < 0 ? TICK : wait);
        });
    return this;
  }

  private void fetch(int bucket, List<DeliveryLanes.ToSend> due) {
    getContext()
        .pipeToSelf(
            inbox.read(bucket, due.stream().map(DeliveryLanes.ToSend::id).toList()),
            (found, failure) -> new Fetched(bucket, due, read(found, failure)));
  }

  private Behavior<Message> fetched(Fetched fetched) {
    int bucket = fetched.bucket();
    if (fetched.messages().isEmpty()) {
      for (DeliveryLanes.ToSend one : fetched.wanted()) {
        lanes(bucket).failed(one.id(), one.attempt(), false, clock.instant());
      }
    } else {
      deliver(bucket, fetched.wanted(), fetched.messages().get());
    }
    return send(bucket, List.of());
  }

  private void deliver(int bucket, List<DeliveryLanes.ToSend> due, List<InboxMessage> messages) {
    DeliveryLanes lanes = lanes(bucket);
    Map<String, InboxMessage> known =
        messages.stream().collect(Collectors.toMap(InboxMessage::id, Function.identity()));
    List<InboxDelivery.Parcel> parcels = new ArrayList<>();
    for (DeliveryLanes.ToSend one : due) {
      InboxMessage message = known.get(one.id());
      if (message == null) {
        lanes.done(one.id(), one.attempt(), clock.instant());
      } else {
        parcels.add(new InboxDelivery.Parcel(message, one.attempt(), one.lastTry()));
      }
    }
    if (!parcels.isEmpty()) {
      var self = getContext().getSelf();
      int before = losses;
      delivery.deliver(
          bucket,
          parcels,
          () -> losses == before && cluster.state().getUnreachable().isEmpty(),
          (parcel, outcome) ->
              self.tell(new Delivered(bucket, parcel.message().id(), parcel.attempt(), outcome)));
    }
  }

  private void readRest(int bucket, String from) {
    readingRest.set(bucket);
    getContext()
        .pipeToSelf(
            inbox.pending(bucket, Optional.of(from), bounds.lanes().batch()),
            (page, failure) -> new Rest(bucket, from, read(page, failure)));
  }

  private Behavior<Message> rest(Rest rest) {
    readingRest.clear(rest.bucket());
    if (rest.messages().isEmpty()) {
      cursor(rest.bucket()).restart();
      return this;
    }
    cursor(rest.bucket()).readRest(rest.from(), rest.messages().get(), clock.instant());
    return send(rest.bucket(), rest.messages().get());
  }

  private Behavior<Message> delivered(Delivered delivered) {
    DeliveryLanes lanes = lanes(delivered.bucket());
    String id = delivered.id();
    long attempt = delivered.attempt();
    Instant now = clock.instant();
    switch (delivered.outcome()) {
      case DONE -> lanes.done(id, attempt, now);
      case BURIED -> lanes.buried(id, attempt, now);
      case BUSY -> lanes.busy(id, attempt, now);
      case FAILED -> lanes.failed(id, attempt, true, now);
      case PUT_OFF -> lanes.failed(id, attempt, false, now);
    }
    return send(delivered.bucket(), List.of());
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
