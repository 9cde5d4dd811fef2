package dev.colony.agent.room;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.agent.capacity.Candidate;
import dev.colony.agent.capacity.NodeRoom;
import java.util.List;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.ActorRef;

/** What the cluster's usher is told. */
sealed interface UsherMessage {

  /** What comes from other nodes, in JSON. */
  sealed interface Remote extends UsherMessage {}

  /** What the usher tells itself. */
  sealed interface Local extends UsherMessage, NoSerializationVerificationNeeded {}

  /** What room a node has; answered at once. */
  @JsonTypeName("capacity-report")
  record Report(NodeRoom room, ActorRef<UsherReply> replyTo) implements Remote {}

  /** It is time to look who waits. */
  record Sweep() implements Local {}

  /** These wait, and perhaps others behind them; none also where that could not be read. */
  record Found(List<Candidate> waiting) implements Local {}

  /** One was told to go on, or what else it waits for has not come. */
  record Woken(Candidate who, boolean goesOn) implements Local {}
}
