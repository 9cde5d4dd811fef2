package dev.colony.node.lease;

import dev.colony.vcm.schedule.lease.LeaseOrder;
import dev.colony.vcm.schedule.lease.Report;
import dev.colony.vcm.schedule.workingset.CacheControl;
import dev.colony.vcm.schedule.workingset.Orders;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;

/**
 * Carries messages between a node's leases and the authority, in batches. One per node. What is
 * lost is made up for: each report says how things stand, and is repeated.
 */
final class LeaseReporter extends AbstractBehavior<LeaseReporter.Message> {

  /** What the reporter is told. */
  sealed interface Message extends NoSerializationVerificationNeeded {}

  private record Send() implements Message {}

  private record Tick() implements Message {}

  private record Heard(LeaseOrders orders) implements Message {}

  private final LeaseSettings settings;
  private final String holder;
  private final NodeLeases leases;
  private final CacheControl control;
  private final ActorRef<LeaseMessage> authority;
  private final ActorRef<LeaseOrders> replies;

  static Behavior<Message> create(
      LeaseSettings settings,
      String holder,
      NodeLeases leases,
      CacheControl control,
      ActorRef<LeaseMessage> authority) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(timers ->
            new LeaseReporter(context, timers, settings, holder, leases, control, authority)));
  }

  private LeaseReporter(
      ActorContext<Message> context,
      TimerScheduler<Message> timers,
      LeaseSettings settings,
      String holder,
      NodeLeases leases,
      CacheControl control,
      ActorRef<LeaseMessage> authority) {
    super(context);
    this.settings = settings;
    this.holder = holder;
    this.leases = leases;
    this.control = control;
    this.authority = authority;
    this.replies = context.messageAdapter(LeaseOrders.class, Heard::new);
    timers.startTimerWithFixedDelay(new Send(), settings.sendInterval());
    timers.startTimerWithFixedDelay(
        new Tick(), java.time.Duration.ofNanos((long) (settings.times().renewSeconds() * 1e9)));
  }

  @Override
  public Receive<Message> createReceive() {
    return newReceiveBuilder()
        .onMessage(Send.class, send -> send())
        .onMessage(Tick.class, tick -> tick())
        .onMessage(Heard.class, this::heard)
        .build();
  }

  /** At most {@code batch} reports in a message, and so many blocks that it fits into a frame. */
  private Behavior<Message> send() {
    leases.tick();
    List<LeaseMessage.Line> lines = new ArrayList<>();
    int blocks = 0;
    for (Report report : leases.reports()) {
      LeaseMessage.Line line = LeaseMessage.Line.of(report);
      int more = line.prompt() == null ? 0 : line.prompt().blocks().length;
      if (!lines.isEmpty()
          && (lines.size() == settings.batch() || blocks + more > settings.batchBlocks())) {
        tell(lines, List.of(), List.of());
        lines = new ArrayList<>();
        blocks = 0;
      }
      lines.add(line);
      blocks += more;
    }
    List<NodeLeases.FirstTokens> firstTokens = leases.firstTokens();
    if (!lines.isEmpty() || !firstTokens.isEmpty()) {
      tell(lines, firstTokens, List.of());
    }
    return this;
  }

  private Behavior<Message> tick() {
    tell(List.of(), List.of(), leases.caches().stream().map(LeaseMessage.CacheLine::of).toList());
    return this;
  }

  private void tell(
      List<LeaseMessage.Line> lines,
      List<NodeLeases.FirstTokens> firstTokens,
      List<LeaseMessage.CacheLine> caches) {
    authority.tell(new LeaseMessage.Reports(holder, lines, firstTokens, caches, replies));
  }

  private Behavior<Message> heard(Heard heard) {
    LeaseOrders orders = heard.orders();
    List<LeaseOrder.ToHolder> told =
        orders.lines().stream().map(line -> line.order(holder)).toList();
    leases.hear(told);
    if (!orders.evictions().isEmpty() || !orders.touches().isEmpty()) {
      control.carryOut(
          orders.evictions().stream()
              .map(one -> new Orders.Eviction(one.replica(), one.blocks()))
              .toList(),
          orders.touches().stream()
              .map(one -> new Orders.Touch(one.replica(), one.blocks()))
              .toList());
    }
    return this;
  }
}
