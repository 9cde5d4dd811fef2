package dev.colony.node.admission;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.core.capacity.Candidate;
import dev.colony.core.capacity.CapacityReport;
import java.util.List;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.ActorRef;

/** What the cluster's admission scheduler is told. */
sealed interface SchedulerMessage {

  /** What comes from other nodes, in JSON. */
  sealed interface Remote extends SchedulerMessage {}

  /** What the admission scheduler tells itself. */
  sealed interface Local extends SchedulerMessage, NoSerializationVerificationNeeded {}

  /** What capacity a node has; answered at once. */
  @JsonTypeName("capacity-report")
  record Report(CapacityReport report, ActorRef<CapacityReportReply> replyTo) implements Remote {}

  /** It is time to look who waits. */
  record Sweep() implements Local {}

  /** These wait, and perhaps others behind them; none also where that could not be read. */
  record Found(List<Candidate> waiting) implements Local {}

  /** One was told to go on, or what else it waits for has not come. */
  record Woken(Candidate who, boolean goesOn) implements Local {}
}
