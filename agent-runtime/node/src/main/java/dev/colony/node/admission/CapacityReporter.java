package dev.colony.node.admission;

import dev.colony.core.capacity.CapacitySettings;
import dev.colony.vcm.table.NodeAddress;
import java.time.InstantSource;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;

/**
 * Tells the admission scheduler what capacity this node has, more often while agents wait, and
 * tells the node's slots what time it is. One per node.
 */
final class CapacityReporter extends AbstractBehavior<CapacityReporter.Message> {

  /** What the reporter is told. */
  sealed interface Message extends NoSerializationVerificationNeeded {}

  private record Tick() implements Message {}

  private record Report() implements Message {}

  private record Heard(boolean agentsWait) implements Message {}

  private final TimerScheduler<Message> timers;
  private final CapacitySettings.Reports settings;
  private final NodeSlots slots;
  private final ActorRef<SchedulerMessage> scheduler;
  private final NodeAddress node;
  private final HeapProbe heap = new HeapProbe();
  private final ActorRef<CapacityReportReply> replies;
  private final long life;
  private boolean often;

  static Behavior<Message> create(
      CapacitySettings.Reports settings,
      NodeSlots slots,
      ActorRef<SchedulerMessage> scheduler,
      NodeAddress node,
      InstantSource clock) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(timers ->
            new CapacityReporter(
                context, timers, settings, slots, scheduler, node, clock.millis())));
  }

  private CapacityReporter(
      ActorContext<Message> context,
      TimerScheduler<Message> timers,
      CapacitySettings.Reports settings,
      NodeSlots slots,
      ActorRef<SchedulerMessage> scheduler,
      NodeAddress node,
      long life) {
    super(context);
    this.timers = timers;
    this.settings = settings;
    this.slots = slots;
    this.scheduler = scheduler;
    this.node = node;
    this.life = life;
    this.replies =
        context.messageAdapter(CapacityReportReply.class, reply -> new Heard(reply.agentsWait()));
    timers.startTimerWithFixedDelay(new Tick(), settings.every());
  }

  @Override
  public Receive<Message> createReceive() {
    return newReceiveBuilder()
        .onMessage(Tick.class, tick -> tick())
        .onMessage(Report.class, report -> report())
        .onMessage(Heard.class, this::heard)
        .build();
  }

  private Behavior<Message> tick() {
    slots.tick(heap.percent());
    return report();
  }

  private Behavior<Message> report() {
    scheduler.tell(new SchedulerMessage.Report(slots.report(node, life), replies));
    return this;
  }

  private Behavior<Message> heard(Heard heard) {
    if (heard.agentsWait() && !often) {
      timers.startTimerWithFixedDelay(new Report(), settings.whileWaiting());
    } else if (!heard.agentsWait() && often) {
      timers.cancel(new Report());
    }
    often = heard.agentsWait();
    return this;
  }
}
