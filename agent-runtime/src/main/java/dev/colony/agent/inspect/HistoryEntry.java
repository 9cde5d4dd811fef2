package dev.colony.agent.inspect;

import dev.colony.agent.RunId;
import java.time.Instant;
import java.util.Optional;

/** Something of an agent's past: a step that it took, or something else that befell it. */
public sealed interface HistoryEntry permits InspectedStep, Moment {

  /** The number of the event that tells of it: where the agent stood then can be asked for. */
  long sequenceNr();

  /** By the clock of the node that journaled it. */
  Instant at();

  /** The run that it belongs to, where it belongs to one and the journal tells. */
  Optional<RunId> run();
}
