package dev.colony.client.history;

import dev.colony.agent.AgentId;
import dev.colony.agent.view.StateAt;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.journal.LostLogs;
import java.util.Optional;

/** What replaying an agent's journal up to one of its events gives. */
public sealed interface Replayed {

  /**
   * The state right after it.
   *
   * @param lost what the store has lost of the events behind it
   */
  record State(AgentId agent, AgentSnapshot snapshot, long sequenceNr, Optional<LostLogs.Lost> lost)
      implements Replayed {}

  /** The journal does not tell. */
  record Missing(StateAt.Missing why) implements Replayed {}

  /** What callers see of it. */
  default StateAt view() {
    return switch (this) {
      case State state -> new StateAt.Known(Views.of(state));
      case Missing missing -> missing.why();
    };
  }
}
