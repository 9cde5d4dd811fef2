package dev.colony.agent.entity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.RunRequest;
import dev.colony.agent.lifecycle.AgentCommand;
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

  /** Nothing has happened for a while. */
  record Idle() implements Local {}

  /** The time for finishing an external action before leaving is over. */
  record LeaveNow() implements Local {}
}
