package dev.colony.node.admission;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.value.Text;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.core.capacity.CapacityUse.CapacityReport;
import dev.colony.core.capacity.SlotScheduler;
import dev.colony.core.capacity.SlotScheduler.Candidate;
import dev.colony.core.dispatch.Backoff;
import dev.colony.node.resumption.Rehoming;
import dev.colony.node.resumption.Resumptions;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.vcm.table.NodeAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.ActorRef;
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
 * Wakes agents that wait durably for capacity when nodes have some, in their turn. One per cluster.
 *
 * <p>It holds no more of them in memory than it is about to wake. Where it ends, the next one knows
 * of the nodes' capacity as soon as they report, and of who waits from the index, so that no agent
 * is lost; one may be woken for a slot that another one is on the way to, and waits in memory then.
 */
final class AdmissionScheduler extends AbstractBehavior<AdmissionScheduler.SchedulerMessage> {

  private static final Logger LOG = LoggerFactory.getLogger(AdmissionScheduler.class);

  private final CapacitySettings.Reports settings;
  private final CandidateReader candidates;
  private final Resumptions resumptions;
  private final Rehoming rehoming;
  private final Predicate<AgentId> waitsElsewhere;
  private final SlotScheduler slots;
  private final InstantSource clock;

  /** Those who could not go on although there was capacity, and until when they are passed over. */
  private final Map<Wait, Instant> passedOver = new HashMap<>();

  private boolean looking;
  private boolean agentsWait;

  private record Wait(AgentId agent, long suspension) {}

  static Behavior<SchedulerMessage> create(
      CapacitySettings settings,
      CandidateReader candidates,
      Resumptions resumptions,
      Rehoming rehoming,
      Predicate<AgentId> waitsElsewhere,
      InstantSource clock) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(timers ->
            new AdmissionScheduler(
                context,
                timers,
                settings,
                candidates,
                resumptions,
                rehoming,
                waitsElsewhere,
                clock)));
  }

  private AdmissionScheduler(
      ActorContext<SchedulerMessage> context,
      TimerScheduler<SchedulerMessage> timers,
      CapacitySettings settings,
      CandidateReader candidates,
      Resumptions resumptions,
      Rehoming rehoming,
      Predicate<AgentId> waitsElsewhere,
      InstantSource clock) {
    super(context);
    this.settings = settings.reports();
    this.candidates = candidates;
    this.resumptions = resumptions;
    this.rehoming = rehoming;
    this.waitsElsewhere = waitsElsewhere;
    this.clock = clock;
    this.slots =
        new SlotScheduler(
            settings.preemption(),
            settings.strictEvery(),
            settings.shares(),
            settings.reports().grace(),
            settings.waiting().keep());
    timers.startTimerWithFixedDelay(new SchedulerMessage.Sweep(), settings.reports().sweep());
  }

  @Override
  public Receive<SchedulerMessage> createReceive() {
    return newReceiveBuilder()
        .onMessage(SchedulerMessage.Report.class, this::reported)
        .onMessage(SchedulerMessage.Sweep.class, sweep -> look())
        .onMessage(SchedulerMessage.Found.class, this::found)
        .onMessage(SchedulerMessage.Woken.class, this::woken)
        .build();
  }

  private Behavior<SchedulerMessage> reported(SchedulerMessage.Report report) {
    slots.reported(report.report());
    report.replyTo().tell(new CapacityReportReply(agentsWait));
    return agentsWait ? look() : this;
  }

  private Behavior<SchedulerMessage> look() {
    Instant now = clock.instant();
    slots.only(nodes());
    int wakeable = slots.wakeable(now);
    if (!looking && wakeable > 0) {
      looking = true;
      passedOver.values().removeIf(until -> until.isBefore(now));
      Set<Wait> notNow = Set.copyOf(passedOver.keySet());
      getContext()
          .pipeToSelf(
              candidates.first(
                  Math.min(wakeable, settings.batch()),
                  one -> !notNow.contains(wait(one)) && !waitsElsewhere.test(one.agent())),
              (found, failure) -> {
                if (failure != null) {
                  LOG.warn(
                      "the agents that wait for capacity cannot be read: {}; it is tried again",
                      Text.message(Backoff.cause(failure)));
                }
                return new SchedulerMessage.Found(failure == null ? found : List.of());
              });
    }
    return this;
  }

  private Behavior<SchedulerMessage> found(SchedulerMessage.Found found) {
    looking = false;
    agentsWait = !found.waiting().isEmpty();
    for (SlotScheduler.Assignment assignment :
        slots.assignments(found.waiting(), clock.instant())) {
      wake(assignment);
    }
    return this;
  }

  private void wake(SlotScheduler.Assignment assignment) {
    AgentId agent = assignment.who().request().agent();
    LOG.debug("agent {} is to run on {}: {}", agent, assignment.node(), assignment.how());
    getContext()
        .pipeToSelf(
            home(assignment)
                .thenCompose(there -> resumptions.happened(new Trigger.CapacityFreed(agent))),
            (woken, failure) -> {
              if (failure != null) {
                LOG.debug("agent {} cannot be woken; it is tried again", agent, failure);
              }
              return new SchedulerMessage.Woken(assignment.who(), failure == null && woken > 0);
            });
  }

  /** Has it live on the node that it is to run on; where that is not possible, it stays. */
  private CompletionStage<Boolean> home(SlotScheduler.Assignment assignment) {
    return assignment
            .who()
            .agent()
            .home()
            .filter(home -> !home.equals(assignment.node()))
            .isPresent()
        ? rehoming.move(assignment.who().request().agent(), assignment.node(), "there is capacity")
        : CompletableFuture.completedStage(true);
  }

  /** One that waits for something else, too, does not keep the slot from the others. */
  private Behavior<SchedulerMessage> woken(SchedulerMessage.Woken woken) {
    if (!woken.goesOn()) {
      slots.stays(woken.who());
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
        .map(ShardingLayout.NodeAddresses::of)
        .collect(Collectors.toSet());
  }

  private static Wait wait(CapacityQueue.Waiting one) {
    return new Wait(one.agent(), one.suspension());
  }

  /**
   * What the admission scheduler answers to a node that told its capacity.
   *
   * @param agentsWait whether some agent waits durably, so that it had better be told often
   */
  @JsonTypeName("capacity-report-reply")
  record CapacityReportReply(boolean agentsWait) {}

  /** What the cluster's admission scheduler is told. */
  sealed interface SchedulerMessage {

    /** What comes from other nodes, in JSON. */
    sealed interface Remote extends SchedulerMessage {}

    /** What the admission scheduler tells itself. */
    sealed interface Local extends SchedulerMessage, NoSerializationVerificationNeeded {}

    /** What capacity a node has; answered at once. */
    @JsonTypeName("capacity-report")
    record Report(CapacityReport report, ActorRef<AdmissionScheduler.CapacityReportReply> replyTo)
        implements Remote {}

    record Sweep() implements Local {}

    /** These wait, and perhaps others behind them; none also where that could not be read. */
    record Found(List<Candidate> waiting) implements Local {}

    /** One was told to go on, or what else it waits for has not come. */
    record Woken(Candidate who, boolean goesOn) implements Local {}
  }
}
