package dev.colony.node.entity;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.ForkSeed;
import dev.colony.core.lifecycle.Intent;
import dev.colony.node.activation.CancellationToken;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.node.entity.EntityClient.WakeReply;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.ActorRef;

sealed interface AgentMessage {

  /** What comes from other nodes, in JSON. */
  sealed interface Remote extends AgentMessage {}

  /** The same, whose sender waits for an answer. */
  sealed interface Answered extends Remote {

    ActorRef<AcceptReply> replyTo();
  }

  /** What the actor and its work exchange within a node. */
  sealed interface Local extends AgentMessage, NoSerializationVerificationNeeded {}

  /** What an actor tells itself, or its shard tells it, about its coming and going. */
  sealed interface Stay extends Local {}

  /** Execute a run; answered once that is durable, or when it is refused. */
  @JsonTypeName("accept-run")
  record Accept(RunRequest request, ActorRef<AcceptReply> replyTo) implements Answered {}

  /** Answered once the blackboard wakes the agent for what it handles. */
  @JsonTypeName("start-agent")
  record Start(ActorRef<AcceptReply> replyTo) implements Answered {}

  /** A write that the agent handles; answered once it is durable that a run follows from it. */
  @JsonTypeName("notice-events")
  record Notice(Scope scope, Position position, ActorRef<WakeReply> replyTo) implements Remote {}

  /**
   * What a caller, an operator or the runtime wants; answered once it is durable, or when it is
   * refused.
   *
   * @param signal where it was given, in the agent's own scope; empty for what the runtime wants
   */
  @JsonTypeName("apply-intent")
  record Apply(Intent intent, Optional<Position> signal, ActorRef<AcceptReply> replyTo)
      implements Answered {}

  /** A child has ended, which the run may wait for; answered as {@link Apply} is. */
  @JsonTypeName("child-ended")
  record ChildEnded(AgentId child, String reason, ActorRef<AcceptReply> replyTo)
      implements Answered {}

  /** Be there: recovery does the rest. */
  @JsonTypeName("wake-agent")
  record Wake() implements Remote {}

  /** Leave this node, because the shard moves or because the agent is idle. */
  record Leave() implements Stay {}

  /**
   * Recovery is over and this is what the directory says, if it had to be asked.
   *
   * @param forkSeed of a fork
   */
  record TakeOver(Optional<AgentBlueprint> blueprint, Optional<ForkSeed> forkSeed) implements Stay {

    /** Nothing is said, or need be. */
    static final TakeOver UNSAID = new TakeOver(Optional.empty(), Optional.empty());
  }

  /** The agent can never be there, for this reason. */
  record Unborn(String reason) implements Stay {}

  /** A later incarnation exists, so this one is at its end. */
  record Fenced() implements Stay {}

  /** Work has ended, or there is something to journal right away. */
  record Ended(CancellationToken asked, AgentCommand command) implements Local {}

  /** Something within a piece of work is to be journaled; the work goes on when it is durable. */
  record Record(CancellationToken asked, AgentCommand command, CompletableFuture<Void> durable)
      implements Local {}

  /**
   * The wait for a place to work at is over.
   *
   * @param missing why it is no use to wait in memory; empty if there is a place
   */
  record Placed(CancellationToken asked, Optional<ResourceExhausted> missing) implements Local {}

  /** The policy was made, and this is whether it takes events into its runs. */
  record Learned(boolean takesEvents) implements Local {}

  /** The blackboard refuses what the agent needs for its events: go on without them. */
  record Deafened(CancellationToken asked) implements Local {}

  /**
   * Some of the pages that the agent is bound to are in no cache any more.
   *
   * @param all that it is bound to
   */
  record PagesGone(List<PageId> all) implements Local {}

  /**
   * The time of the run that is open is over, or what is suspended as a whole has changed: see what
   * is to be done now.
   */
  record Overdue() implements Local {}

  record Idle() implements Stay {}

  /** The time for finishing an external action before leaving is over. */
  record LeaveNow() implements Stay {}

  /** The process itself is broken, which is nothing that an agent could go on from. */
  record Broken(VirtualMachineError error) implements Stay {}

  /** The agent's log takes nothing until an operator has decided: to be recovered anew. */
  record Held(IllegalStateException why) implements Stay {}
}
