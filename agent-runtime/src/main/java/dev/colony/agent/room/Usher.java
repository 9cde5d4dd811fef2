package dev.colony.agent.room;

import dev.colony.agent.AgentId;
import dev.colony.agent.capacity.CapacitySettings;
import dev.colony.agent.capacity.Seating;
import dev.colony.agent.home.Rehoming;
import dev.colony.agent.placement.NodeAddresses;
import dev.colony.agent.resumption.Resumptions;
import dev.colony.agent.resumption.Trigger;
import dev.colony.agent.resumption.WaitingForRoom;
import dev.colony.agent.retry.Backoff;
import dev.colony.vcm.table.NodeAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes agents that wait durably for room when nodes have some, in their turn. One per cluster.
 *
 * <p>It holds no more of them in memory than it is about to wake. Where it ends, the next one knows
 * of the nodes' room as soon as they report, and of who waits from the index, so that nobody is
 * lost; somebody may be woken for a place that another one is on the way to, and waits in memory
 * then.
 */
final class Usher extends AbstractBehavior<UsherMessage> {

  private static final Logger LOG = LoggerFactory.getLogger(Usher.class);

  private final CapacitySettings.Reports settings;
  private final RoomSurvey survey;
  private final Resumptions resumptions;
  private final Rehoming rehoming;
  private final Seating seating;
  private final InstantSource clock;

  /** Those who could not go on although there was room, and until when they are passed over. */
  private final Map<Wait, Instant> passedOver = new HashMap<>();

  private boolean looking;
  private boolean somebodyWaits;

  /** A wait of an agent. */
  private record Wait(AgentId agent, long suspension) {}

  static Behavior<UsherMessage> create(
      CapacitySettings settings,
      RoomSurvey survey,
      Resumptions resumptions,
      Rehoming rehoming,
      InstantSource clock) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(
            timers -> new Usher(context, timers, settings, survey, resumptions, rehoming, clock)));
  }

  private Usher(
      ActorContext<UsherMessage> context,
      TimerScheduler<UsherMessage> timers,
      CapacitySettings settings,
      RoomSurvey survey,
      Resumptions resumptions,
      Rehoming rehoming,
      InstantSource clock) {
    super(context);
    this.settings = settings.reports();
    this.survey = survey;
    this.resumptions = resumptions;
    this.rehoming = rehoming;
    this.clock = clock;
    this.seating =
        new Seating(
            settings.precedence(),
            settings.strictEvery(),
            settings.shares(),
            settings.reports().grace(),
            settings.waiting().keep());
    timers.startTimerWithFixedDelay(new UsherMessage.Sweep(), settings.reports().sweep());
  }

  @Override
  public Receive<UsherMessage> createReceive() {
    return newReceiveBuilder()
        .onMessage(UsherMessage.Report.class, this::reported)
        .onMessage(UsherMessage.Sweep.class, sweep -> look())
        .onMessage(UsherMessage.Found.class, this::found)
        .onMessage(UsherMessage.Woken.class, this::woken)
        .build();
  }

  private Behavior<UsherMessage> reported(UsherMessage.Report report) {
    seating.reported(report.room());
    report.replyTo().tell(new UsherReply(somebodyWaits));
    return somebodyWaits ? look() : this;
  }

  private Behavior<UsherMessage> look() {
    Instant now = clock.instant();
    seating.only(nodes());
    int places = seating.places(now);
    if (!looking && places > 0) {
      looking = true;
      passedOver.values().removeIf(until -> until.isBefore(now));
      Set<Wait> notNow = Set.copyOf(passedOver.keySet());
      getContext()
          .pipeToSelf(
              survey.first(Math.min(places, settings.batch()), one -> !notNow.contains(wait(one))),
              (found, failure) -> {
                if (failure != null) {
                  LOG.warn(
                      "who waits for room cannot be read: {}; it is tried again",
                      Backoff.cause(failure).toString());
                }
                return new UsherMessage.Found(failure == null ? found : List.of());
              });
    }
    return this;
  }

  private Behavior<UsherMessage> found(UsherMessage.Found found) {
    looking = false;
    somebodyWaits = !found.waiting().isEmpty();
    for (Seating.Turn turn : seating.turns(found.waiting(), clock.instant())) {
      wake(turn);
    }
    return this;
  }

  private void wake(Seating.Turn turn) {
    AgentId agent = turn.who().request().agent();
    LOG.debug("agent {} is to run on {}: {}", agent, turn.node(), turn.how());
    getContext()
        .pipeToSelf(
            home(turn).thenCompose(there -> resumptions.happened(new Trigger.RoomMade(agent))),
            (woken, failure) -> {
              if (failure != null) {
                LOG.debug("agent {} cannot be woken; it is tried again", agent, failure);
              }
              return new UsherMessage.Woken(turn.who(), failure == null && woken > 0);
            });
  }

  /** Has it live on the node that it is to run on; where that is not possible, it stays. */
  private CompletionStage<Boolean> home(Seating.Turn turn) {
    return turn.who().asker().home().filter(home -> !home.equals(turn.node())).isPresent()
        ? rehoming.move(turn.who().request().agent(), turn.node(), "there is room")
        : CompletableFuture.completedStage(true);
  }

  /** One that waits for something else, too, does not keep the place from the others. */
  private Behavior<UsherMessage> woken(UsherMessage.Woken woken) {
    if (!woken.goesOn()) {
      seating.stays(woken.who());
      if (passedOver.size() < settings.batch()) {
        passedOver.put(
            new Wait(woken.who().request().agent(), woken.who().suspension()),
            clock.instant().plus(settings.grace()));
      }
    }
    return this;
  }

  private Set<NodeAddress> nodes() {
    return StreamSupport.stream(
            Cluster.get(getContext().getSystem()).state().getMembers().spliterator(), false)
        .filter(member -> member.status() == MemberStatus.up())
        .map(Member::address)
        .map(NodeAddresses::of)
        .collect(Collectors.toSet());
  }

  private static Wait wait(WaitingForRoom one) {
    return new Wait(one.agent(), one.suspension());
  }
}
