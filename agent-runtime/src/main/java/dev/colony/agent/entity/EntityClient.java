package dev.colony.agent.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.lifecycle.LifecycleCommand;
import dev.colony.agent.suspension.Approval;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.suspension.SuspensionCause;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityRef;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;

/** Reaches agents' actors through sharding, wherever they are. Thread-safe. */
public final class EntityClient {

  public static final EntityTypeKey<AgentMessage> KEY =
      EntityTypeKey.create(AgentMessage.class, "agent");

  private final ClusterSharding sharding;
  private final Duration acceptTimeout;

  public EntityClient(ClusterSharding sharding, Duration acceptTimeout) {
    this.sharding = sharding;
    this.acceptTimeout = acceptTimeout;
  }

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
   * Tells the agent about its life; fails with a timeout if it does not answer.
   *
   * @param signal where that was said, in the agent's own scope
   */
  public CompletionStage<AcceptReply> transition(
      int unit, AgentId agent, LifecycleCommand command, String reason, Position signal) {
    return ask(
        unit, agent, replyTo -> new AgentMessage.Transition(command, reason, signal, replyTo));
  }

  /**
   * Has the agent put its state away; fails with a timeout if it does not answer.
   *
   * @param signal where that was said, in the agent's own scope
   */
  public CompletionStage<AcceptReply> suspend(
      int unit,
      AgentId agent,
      SuspensionCause cause,
      String reason,
      Optional<ResumptionCondition> until,
      Position signal) {
    return ask(
        unit, agent, replyTo -> new AgentMessage.Suspend(cause, reason, until, signal, replyTo));
  }

  /**
   * Has the agent go on; fails with a timeout if it does not answer.
   *
   * @param suspension the one that is to end, and no other; empty for whichever lasts
   */
  public CompletionStage<AcceptReply> resume(
      int unit, AgentId agent, OptionalLong suspension, String reason) {
    return ask(unit, agent, replyTo -> new AgentMessage.Resume(suspension, reason, replyTo));
  }

  /**
   * Tells the agent what a person has said; fails with a timeout if it does not answer.
   *
   * @param signal where that was said, in the agent's own scope
   */
  public CompletionStage<AcceptReply> approve(
      int unit, AgentId agent, Approval approval, Position signal) {
    return ask(unit, agent, replyTo -> new AgentMessage.Approve(approval, signal, replyTo));
  }

  /** Has the agent move to another unit; fails with a timeout if it does not answer. */
  public CompletionStage<AcceptReply> rehome(int unit, AgentId agent, int to, String reason) {
    return ask(unit, agent, replyTo -> new AgentMessage.Rehome(to, reason, replyTo));
  }

  /** Tells the agent that a child has ended; fails with a timeout if it does not answer. */
  public CompletionStage<AcceptReply> childEnded(
      int unit, AgentId agent, AgentId child, String reason) {
    return ask(unit, agent, replyTo -> new AgentMessage.ChildEnded(child, reason, replyTo));
  }

  /** Tells the agent that nobody wants a run any more; fails with a timeout. */
  public CompletionStage<AcceptReply> cancel(int unit, AgentId agent, RunId run, String reason) {
    return ask(unit, agent, replyTo -> new AgentMessage.Cancel(run, reason, replyTo));
  }

  /** Starts the agent and waits until it is woken for what it handles; fails with a timeout. */
  public CompletionStage<AcceptReply> start(int unit, AgentId agent) {
    return ask(unit, agent, AgentMessage.Start::new);
  }

  /** Sends on what has reached another home of the agent's; whoever asked is answered. */
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
}
