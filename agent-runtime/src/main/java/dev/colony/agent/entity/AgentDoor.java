package dev.colony.agent.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;

/** Reaches agents' actors through sharding, wherever they are. Thread-safe. */
final class AgentDoor {

  static final EntityTypeKey<AgentMessage> KEY = EntityTypeKey.create(AgentMessage.class, "agent");

  private final ClusterSharding sharding;
  private final Duration acceptTimeout;

  AgentDoor(ClusterSharding sharding, Duration acceptTimeout) {
    this.sharding = sharding;
    this.acceptTimeout = acceptTimeout;
  }

  /** Fails with a timeout if the agent does not answer; requests sent in order arrive in order. */
  CompletionStage<AcceptReply> accept(int unit, AgentId agent, RunRequest request) {
    return sharding
        .entityRefFor(KEY, EntityIds.of(unit, agent))
        .ask(replyTo -> new AgentMessage.Accept(request, replyTo), acceptTimeout);
  }

  /** Fails with a timeout if the agent does not answer. */
  CompletionStage<WakeReply> notice(int unit, AgentId agent, Scope scope, Position position) {
    return sharding
        .entityRefFor(KEY, EntityIds.of(unit, agent))
        .ask(replyTo -> new AgentMessage.Notice(scope, position, replyTo), acceptTimeout);
  }

  /** Starts the agent and waits until it is woken for what it handles; fails with a timeout. */
  CompletionStage<AcceptReply> start(int unit, AgentId agent) {
    return sharding
        .entityRefFor(KEY, EntityIds.of(unit, agent))
        .ask(AgentMessage.Start::new, acceptTimeout);
  }

  /** Starts the agent if it is not there; recovery does the rest. */
  void wake(int unit, AgentId agent) {
    sharding.entityRefFor(KEY, EntityIds.of(unit, agent)).tell(new AgentMessage.Wake());
  }
}
