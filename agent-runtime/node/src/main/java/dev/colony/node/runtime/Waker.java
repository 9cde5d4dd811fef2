package dev.colony.node.runtime;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.value.Text;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.dispatch.Backoff;
import dev.colony.node.NodeBounds;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.runtime.AgentRuntime.OutstandingAgents;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Subscribe;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the agents that have work outstanding and that no message would start: after the cluster
 * has started, after a member was lost, and on a slow sweep. One per cluster; where it ends, the
 * next one begins with a sweep of its own. Waking an agent that is awake costs it one message.
 */
final class Waker extends AbstractBehavior<Waker.Message> {

  private static final Logger LOG = LoggerFactory.getLogger(Waker.class);

  sealed interface Message extends NoSerializationVerificationNeeded {}

  private record Sweep() implements Message {}

  /** A member is gone; its agents need a new place. */
  private record MemberLost() implements Message {}

  /** These have work outstanding; empty also where the index could not be read. */
  private record Found(Set<String> persistenceIds) implements Message {}

  private record NextBatch() implements Message {}

  private final TimerScheduler<Message> timers;
  private final NodeBounds.Waker bounds;
  private final OutstandingAgents index;
  private final AgentDirectory directory;
  private final EntityClient entities;
  private final Deque<String> toWake = new ArrayDeque<>();

  static Behavior<Message> create(
      NodeBounds.Waker bounds,
      OutstandingAgents index,
      AgentDirectory directory,
      EntityClient entities) {
    return Behaviors.setup(context ->
        Behaviors.withTimers(
            timers -> new Waker(context, timers, bounds, index, directory, entities)));
  }

  private Waker(
      ActorContext<Message> context,
      TimerScheduler<Message> timers,
      NodeBounds.Waker bounds,
      OutstandingAgents index,
      AgentDirectory directory,
      EntityClient entities) {
    super(context);
    this.timers = timers;
    this.bounds = bounds;
    this.index = index;
    this.directory = directory;
    this.entities = entities;
    MemberLosses.tell(context, MemberLost::new);
    timers.startTimerWithFixedDelay(new Sweep(), bounds.sweep());
    sweep();
  }

  @Override
  public Receive<Message> createReceive() {
    return newReceiveBuilder()
        .onMessage(Sweep.class, sweep -> sweep())
        .onMessage(MemberLost.class, lost -> sweepSoon())
        .onMessage(Found.class, this::found)
        .onMessage(NextBatch.class, next -> nextBatch())
        .build();
  }

  private Behavior<Message> sweepSoon() {
    timers.startSingleTimer("soon", new Sweep(), bounds.afterLoss());
    timers.startSingleTimer("later", new Sweep(), bounds.afterLoss().multipliedBy(2));
    return this;
  }

  private Behavior<Message> sweep() {
    // A sweep that is still waking people would only be repeated.
    if (toWake.isEmpty()) {
      getContext()
          .pipeToSelf(
              index.outstanding(),
              (found, failure) -> {
                if (failure != null) {
                  LOG.warn(
                      "the index of outstanding work cannot be read: {}; it is tried again",
                      Text.message(Backoff.cause(failure)));
                }
                return new Found(failure == null ? found : Set.of());
              });
    }
    return this;
  }

  private Behavior<Message> found(Found found) {
    if (toWake.isEmpty() && !found.persistenceIds().isEmpty()) {
      LOG.debug("waking {} agents with work outstanding", found.persistenceIds().size());
      toWake.addAll(found.persistenceIds());
      return nextBatch();
    }
    return this;
  }

  private Behavior<Message> nextBatch() {
    for (int i = 0; i < bounds.batch() && !toWake.isEmpty(); i++) {
      wake(AgentId.parse(toWake.removeFirst()));
    }
    if (!toWake.isEmpty()) {
      timers.startSingleTimer(new NextBatch(), bounds.pause());
    }
    return this;
  }

  private void wake(AgentId agent) {
    directory
        .find(agent)
        .whenComplete((entry, failure) -> {
          if (failure != null) {
            LOG.debug("agent {} cannot be looked up; the next sweep wakes it", agent, failure);
          } else {
            entry.ifPresent(known -> entities.wake(known.unit(), agent));
          }
        });
  }

  /** Nodes that are gone from the cluster, and with them what they were sent. */
  public static final class MemberLosses {

    private MemberLosses() {}

    /** Has an actor told of each one, for as long as it lives; to be called by the actor itself. */
    public static <M> void tell(ActorContext<M> context, Supplier<M> lost) {
      var losses = context.messageAdapter(ClusterEvent.MemberRemoved.class, removed -> lost.get());
      Cluster.get(context.getSystem())
          .subscriptions()
          .tell(Subscribe.create(losses, ClusterEvent.MemberRemoved.class));
    }
  }
}
