package dev.colony.agent.entity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.RunRequest;
import dev.colony.agent.lifecycle.AgentCommand;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.util.Optional;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.ActorRef;

/** What an agent's actor is told. */
sealed interface AgentMessage {

  /** Those that travel between nodes. */
  sealed interface Remote extends AgentMessage {}

  /** Those that an actor and its work exchange within a node. */
  sealed interface Local extends AgentMessage, NoSerializationVerificationNeeded {}

  /** Execute a run; answered once that is durable, or when it is refused. */
  record Accept(RunRequest request, ActorRef<AcceptReply> replyTo) implements Remote {}

  /** Answered once the blackboard wakes the agent for what it handles. */
  record Start(ActorRef<AcceptReply> replyTo) implements Remote {}

  /** A write that the agent handles; answered once it is durable that a run follows from it. */
  record Notice(Scope scope, Position position, ActorRef<WakeReply> replyTo) implements Remote {}

  /** Be there: recovery does the rest. */
  record Wake() implements Remote {}

  /** Leave this node, because the shard moves or because the agent is idle. */
  record Leave() implements Local {}

  /** Recovery is over and this is what the directory says, if it had to be asked. */
  record TakeOver(Optional<AgentBlueprint> blueprint) implements Local {}

  /** A later incarnation exists, so this one is at its end. */
  record Fenced() implements Local {}

  /** Work has ended, or there is something to journal right away. */
  record Ended(long incarnation, AgentCommand command) implements Local {}

  /** The blackboard refuses what the agent needs for its events: go on without them. */
  record Deafened(long incarnation) implements Local {}

  /** Nothing has happened for a while. */
  record Idle() implements Local {}

  /** The time for finishing an external action before leaving is over. */
  record LeaveNow() implements Local {}
}
