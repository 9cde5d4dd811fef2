package dev.colony.node.entity;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.core.lifecycle.Intent;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.cluster.sharding.typed.ShardingEnvelope;
import org.apache.pekko.cluster.sharding.typed.ShardingMessageExtractor;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityRef;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;

/** Reaches agents' actors through sharding, wherever they are. Thread-safe. */
public record EntityClient(ClusterSharding sharding, Duration acceptTimeout) {

  public static final EntityTypeKey<AgentMessage> KEY =
      EntityTypeKey.create(AgentMessage.class, "agent");

  /** Fails with a timeout if the agent does not answer; requests sent in order arrive in order. */
  public CompletionStage<AcceptReply> accept(int unit, AgentId agent, RunRequest request) {
    return ask(unit, agent, replyTo -> new AgentMessage.Accept(request, replyTo));
  }

  /** Fails with a timeout if the agent does not answer. */
  public CompletionStage<WakeReply> notice(
      int unit, AgentId agent, Scope scope, Position position) {
    return ask(unit, agent, replyTo -> new AgentMessage.Notice(scope, position, replyTo));
  }

  /**
   * Tells the agent what is wanted of it; fails with a timeout if it does not answer.
   *
   * @param signal where that was given, in the agent's own scope; empty for what the runtime wants
   */
  public CompletionStage<AcceptReply> apply(
      int unit, AgentId agent, Intent intent, Optional<Position> signal) {
    return ask(unit, agent, replyTo -> new AgentMessage.Apply(intent, signal, replyTo));
  }

  /** Tells the agent that a child has ended; fails with a timeout if it does not answer. */
  public CompletionStage<AcceptReply> childEnded(
      int unit, AgentId agent, AgentId child, String reason) {
    return ask(unit, agent, replyTo -> new AgentMessage.ChildEnded(child, reason, replyTo));
  }

  /** Starts the agent and waits until it is woken for what it handles; fails with a timeout. */
  public CompletionStage<AcceptReply> start(int unit, AgentId agent) {
    return ask(unit, agent, AgentMessage.Start::new);
  }

  /** Sends on what has reached another home of the agent's; its sender is answered. */
  void forward(int unit, AgentId agent, AgentMessage.Remote message) {
    sharding.entityRefFor(KEY, EntityIds.of(unit, agent)).tell(message);
  }

  /** Starts the agent if it is not there; recovery does the rest. */
  public void wake(int unit, AgentId agent) {
    entity(unit, agent).tell(new AgentMessage.Wake());
  }

  private <R> CompletionStage<R> ask(
      int unit, AgentId agent, Function<ActorRef<R>, AgentMessage> message) {
    return entity(unit, agent).ask(message::apply, acceptTimeout);
  }

  private EntityRef<AgentMessage> entity(int unit, AgentId agent) {
    return sharding.entityRefFor(KEY, EntityIds.of(unit, agent));
  }

  /**
   * Entity ids carry the placement unit in front, {@code 17:acme/billing/reviewer}, and the unit is
   * the shard: so a message finds its way without the sender looking the agent up.
   */
  static final class EntityIds
      extends ShardingMessageExtractor<ShardingEnvelope<AgentMessage>, AgentMessage> {

    static String of(int unit, AgentId agent) {
      return unit + ":" + agent.persistenceId();
    }

    static AgentId agent(String entityId) {
      return AgentId.parse(entityId.substring(entityId.indexOf(':') + 1));
    }

    static int unit(String entityId) {
      return Integer.parseInt(entityId.substring(0, entityId.indexOf(':')));
    }

    @Override
    public String entityId(ShardingEnvelope<AgentMessage> envelope) {
      return envelope.entityId();
    }

    @Override
    public String shardId(String entityId) {
      return entityId.substring(0, entityId.indexOf(':'));
    }

    @Override
    public AgentMessage unwrapMessage(ShardingEnvelope<AgentMessage> envelope) {
      return envelope.message();
    }
  }

  /** The answer to {@link AgentMessage.Accept} and {@link AgentMessage.Start}. */
  public sealed interface AcceptReply {

    @JsonTypeName("command-accepted")
    record Accepted() implements AcceptReply {}

    /** The run will not be executed; the reason is one line for people. */
    @JsonTypeName("command-rejected")
    record Rejected(String reason) implements AcceptReply {}

    /**
     * The agent has as many runs as it may have, and nothing is journaled: to be asked for again,
     * in the same order. The reason is one line for people.
     */
    @JsonTypeName("agent-busy")
    record Busy(String reason) implements AcceptReply {}
  }

  /** The answer to {@link AgentMessage.Notice}. */
  public sealed interface WakeReply {

    /** The agent has journaled that it will handle the writes up to here, or has handled them. */
    @JsonTypeName("event-noticed")
    record Noticed(Position upTo) implements WakeReply {}

    /** The agent does not handle the scope (any more). */
    @JsonTypeName("event-ignored")
    record Ignored() implements WakeReply {}
  }
}
