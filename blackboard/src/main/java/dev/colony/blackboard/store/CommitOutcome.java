package dev.colony.blackboard.store;

import dev.colony.blackboard.Position;
import java.util.List;
import java.util.Optional;

/** What became of a commit. */
public sealed interface CommitOutcome {

  /**
   * It took effect.
   *
   * @param changes one for each change, in their order; empty where an absent entry was to be
   *     removed
   * @param head the position of the scope's newest event right after it
   */
  record Done(List<Optional<Changed>> changes, Position head) implements CommitOutcome {}

  /**
   * A change that took effect.
   *
   * @param version the entry's version after it; of a removed entry, the version it had
   * @param position of the event
   */
  record Changed(long version, Position position) {}

  /**
   * The first expectation that did not hold.
   *
   * @param actualVersion the version the entry has, 0 if it is absent
   */
  record Failed(String key, long actualVersion) implements CommitOutcome {}
}
