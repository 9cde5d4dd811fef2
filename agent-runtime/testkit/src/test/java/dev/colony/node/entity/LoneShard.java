package dev.colony.node.entity;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;

/**
 * Does for one agent what its shard does: starts it for a message, has it leave when it asks for
 * that, and keeps what arrives meanwhile for its next start. Takes {@link AgentMessage}s.
 */
final class LoneShard extends AbstractBehavior<Object> {

  private static final Object PASSIVATE = new Object();

  /** Where a message goes that was for another home of the agent. */
  @FunctionalInterface
  interface Neighbours {
    void forward(int unit, AgentMessage.Remote message);
  }

  private final Function<AgentEntity.ShardLink, Behavior<AgentMessage>> agent;
  private final AgentEntity.ShardLink shard;
  private final Deque<AgentMessage> kept = new ArrayDeque<>();
  private ActorRef<AgentMessage> entity;
  private boolean leaving;

  /**
   * @param unit that it is the shard of
   * @param passivations counts how often the agent asks to leave
   */
  static Behavior<Object> create(
      int unit,
      Neighbours neighbours,
      Function<AgentEntity.ShardLink, Behavior<AgentMessage>> agent,
      AtomicInteger passivations) {
    return Behaviors.setup(context ->
        new LoneShard(context, agent, new Here(unit, context.getSelf(), neighbours, passivations)));
  }

  private LoneShard(
      ActorContext<Object> context,
      Function<AgentEntity.ShardLink, Behavior<AgentMessage>> agent,
      AgentEntity.ShardLink shard) {
    super(context);
    this.agent = agent;
    this.shard = shard;
    start();
  }

  @Override
  public Receive<Object> createReceive() {
    return newReceiveBuilder()
        .onMessage(AgentMessage.class, this::toAgent)
        .onMessageEquals(PASSIVATE, this::passivate)
        .onSignal(Terminated.class, ended -> ended())
        .build();
  }

  private void start() {
    entity = getContext().spawnAnonymous(agent.apply(shard));
    getContext().watch(entity);
    leaving = false;
  }

  private Behavior<Object> toAgent(AgentMessage message) {
    if (leaving) {
      kept.add(message);
      return this;
    }
    if (entity == null) {
      start();
    }
    entity.tell(message);
    return this;
  }

  private Behavior<Object> passivate() {
    if (entity != null && !leaving) {
      leaving = true;
      entity.tell(new AgentMessage.Leave());
    }
    return this;
  }

  private Behavior<Object> ended() {
    entity = null;
    leaving = false;
    while (!kept.isEmpty()) {
      toAgent(kept.removeFirst());
    }
    return this;
  }

  private record Here(
      int unit, ActorRef<Object> shard, Neighbours neighbours, AtomicInteger passivations)
      implements AgentEntity.ShardLink {

    @Override
    public void passivate(ActorRef<AgentMessage> self) {
      passivations.incrementAndGet();
      shard.tell(PASSIVATE);
    }

    @Override
    public void wakeElsewhere() {
      shard.tell(new AgentMessage.Wake());
    }

    @Override
    public void forward(int home, AgentMessage.Remote message) {
      neighbours.forward(home, message);
    }
  }
}
