package dev.colony.agent.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.lifecycle.LifecycleCommand;
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

  /** Tells the agent about its life; fails with a timeout if it does not answer. */
  CompletionStage<AcceptReply> transition(
      int unit, AgentId agent, LifecycleCommand command, String reason) {
    return sharding
        .entityRefFor(KEY, EntityIds.of(unit, agent))
        .ask(replyTo -> new AgentMessage.Transition(command, reason, replyTo), acceptTimeout);
  }

  /** Tells the agent that a child has ended; fails with a timeout if it does not answer. */
  CompletionStage<AcceptReply> childEnded(int unit, AgentId agent, AgentId child, String reason) {
    return sharding
        .entityRefFor(KEY, EntityIds.of(unit, agent))
        .ask(replyTo -> new AgentMessage.ChildEnded(child, reason, replyTo), acceptTimeout);
  }

  /** Tells the agent that nobody wants a run any more; fails with a timeout. */
  CompletionStage<AcceptReply> cancel(int unit, AgentId agent, RunId run, String reason) {
    return sharding
        .entityRefFor(KEY, EntityIds.of(unit, agent))
        .ask(replyTo -> new AgentMessage.Cancel(run, reason, replyTo), acceptTimeout);
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
