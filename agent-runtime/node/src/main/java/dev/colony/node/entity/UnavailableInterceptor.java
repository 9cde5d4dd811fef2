package dev.colony.node.entity;

import dev.colony.core.lifecycle.EntityInput;
import dev.colony.core.lifecycle.EntityMachine;
import dev.colony.core.lifecycle.EntityMachine.Circumstances;
import dev.colony.core.lifecycle.EntityMachine.Reaction;
import dev.colony.core.lifecycle.EntityState;
import dev.colony.node.entity.EntityClient.AcceptReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.BehaviorInterceptor;
import org.apache.pekko.actor.typed.TypedActorContext;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * Stands before an agent's actor and answers in its place once it is clear that the agent cannot be
 * there at all: its journal is damaged, or what it is to be forked from is gone. A caller that has
 * waited since before that is answered, too; without this, each would wait until its patience ends
 * and learn nothing. Used by the agent's actor only.
 *
 * <p>What the agent would journal and is not asked for by a caller that waits (news of writes) is
 * left unanswered, so that it stays in the inbox until the journal has been mended.
 */
final class UnavailableInterceptor extends BehaviorInterceptor<AgentMessage, AgentMessage> {

  /** Who waits before the agent is there; beyond it one finds out by asking again. */
  private static final int MOST_WAITING = 1_000;

  private static final EntityState STATE = new EntityState.Unavailable(0);

  private final AgentEntity.ShardLink shard;
  private final Duration stay;
  private final List<AgentMessage.Remote> waiting = new ArrayList<>(0);
  private ActorContext<AgentMessage> context;
  private boolean there;
  private Optional<AcceptReply> instead = Optional.empty();

  /**
   * @param stay how long refusals go on before the actor leaves, so that a caller that asks later
   *     finds out anew
   */
  UnavailableInterceptor(AgentEntity.ShardLink shard, Duration stay) {
    super(AgentMessage.class);
    this.shard = shard;
    this.stay = stay;
  }

  void isThere() {
    there = true;
    waiting.clear();
  }

  /**
   * The agent cannot be there; who waits is told so, and who comes.
   *
   * @param reason one line
   */
  void refuse(String reason) {
    answer(new AcceptReply.Rejected(reason));
  }

  /**
   * The agent cannot be there until an operator has decided; what is asked of it waits in the
   * inbox.
   *
   * @param reason one line
   */
  void putOff(String reason) {
    answer(new AcceptReply.Busy(reason));
  }

  /**
   * The agent cannot be there by what the directory says now, which may change at once, as when an
   * agent is purged and its name given to another: who waits is told so, and the actor leaves, so
   * that the next caller has the directory asked anew.
   *
   * @param reason one line
   */
  void refuseOnce(String reason) {
    answerWaiting(new AcceptReply.Rejected(reason));
    shard.passivate(context.getSelf());
  }

  /**
   * Answers what the actor had put off before it was clear that the agent cannot be there, and
   * takes up only now.
   */
  void answer(AgentMessage.Remote asked) {
    instead.ifPresent(reply -> answer(asked, reply));
  }

  private void answer(AcceptReply reply) {
    answerWaiting(reply);
    context.scheduleOnce(stay, context.getSelf(), new AgentMessage.Idle());
  }

  private void answerWaiting(AcceptReply reply) {
    instead = Optional.of(reply);
    waiting.forEach(message -> answer(message, reply));
    waiting.clear();
  }

  @Override
  public Behavior<AgentMessage> aroundStart(
      TypedActorContext<AgentMessage> started, PreStartTarget<AgentMessage> agent) {
    context = started.asJava();
    return agent.start(started);
  }

  @Override
  public Behavior<AgentMessage> aroundReceive(
      TypedActorContext<AgentMessage> receiving,
      AgentMessage message,
      ReceiveTarget<AgentMessage> agent) {
    if (instead.isPresent()) {
      return refused(message, instead.get());
    }
    if (!there && message instanceof AgentMessage.Remote asked && waiting.size() < MOST_WAITING) {
      waiting.add(asked);
    }
    return agent.apply(receiving, message);
  }

  private Behavior<AgentMessage> refused(AgentMessage message, AcceptReply reply) {
    EntityInput input =
        switch (message) {
          case AgentMessage.Leave leave -> new EntityInput.Leave();
          case AgentMessage.LeaveNow now -> new EntityInput.LeaveNow();
          case AgentMessage.Idle idle -> new EntityInput.Idle();
          case AgentMessage.Remote asked -> new EntityInput.Command(false);
          case AgentMessage.Local own -> new EntityInput.Learned();
        };
    Reaction reaction = EntityMachine.next(STATE, input, Circumstances.UNKNOWN).reaction();
    if (reaction == Reaction.STOP) {
      return Behaviors.stopped();
    }
    if (reaction == Reaction.PASSIVATE) {
      shard.passivate(context.getSelf());
    } else if (message instanceof AgentMessage.Remote asked) {
      answer(asked, reply);
    }
    return Behaviors.same();
  }

  private static void answer(AgentMessage.Remote asked, AcceptReply reply) {
    if (asked instanceof AgentMessage.Answered answered) {
      answered.replyTo().tell(reply);
    }
  }
}
