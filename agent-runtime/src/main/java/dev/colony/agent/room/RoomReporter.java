package dev.colony.agent.room;

import dev.colony.agent.capacity.CapacitySettings;
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
 * Tells the usher what room this node has, more often while somebody waits, and tells the node's
 * places what time it is. One per node.
 */
final class RoomReporter extends AbstractBehavior<RoomReporter.Message> {

  /** What the reporter is told. */
  sealed interface Message extends NoSerializationVerificationNeeded {}

  private record Tick() implements Message {}

  private record Report() implements Message {}

  private record Heard(boolean somebodyWaits) implements Message {}

  private final TimerScheduler<Message> timers;
  private final CapacitySettings.Reports settings;
  private final NodePlaces places;
  private final ActorRef<UsherMessage> usher;
  private final NodeAddress node;
  private final HeapProbe heap = new HeapProbe();
  private final ActorRef<UsherReply> replies;
  private final long life;
  private boolean often;

  static Behavior<Message> create(
      CapacitySettings.Reports settings,
      NodePlaces places,
      ActorRef<UsherMessage> usher,
      NodeAddress node,
      InstantSource clock) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(timers ->
            new RoomReporter(context, timers, settings, places, usher, node, clock.millis())));
  }

  private RoomReporter(
      ActorContext<Message> context,
      TimerScheduler<Message> timers,
      CapacitySettings.Reports settings,
      NodePlaces places,
      ActorRef<UsherMessage> usher,
      NodeAddress node,
      long life) {
    super(context);
    this.timers = timers;
    this.settings = settings;
    this.places = places;
    this.usher = usher;
    this.node = node;
    this.life = life;
    this.replies =
        context.messageAdapter(UsherReply.class, reply -> new Heard(reply.somebodyWaits()));
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
    places.tick(heap.percent());
    return report();
  }

  private Behavior<Message> report() {
    usher.tell(new UsherMessage.Report(places.room(node, life), replies));
    return this;
  }

  private Behavior<Message> heard(Heard heard) {
    if (heard.somebodyWaits() && !often) {
      timers.startTimerWithFixedDelay(new Report(), settings.whileWaiting());
    } else if (!heard.somebodyWaits() && often) {
      timers.cancel(new Report());
    }
    often = heard.somebodyWaits();
    return this;
  }
}
