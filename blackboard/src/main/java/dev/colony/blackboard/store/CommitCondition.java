package dev.colony.blackboard.store;

import dev.colony.blackboard.Position;

/** What must hold of an entry for a commit to happen. */
public sealed interface CommitCondition {

  String key();

  /** The entry has this version; 0 means that it is absent. */
  record Version(String key, long version) implements CommitCondition {}

  /**
   * The entry was last written at this position; {@link Position#BEGINNING} means that it is
   * absent.
   */
  record WrittenAt(String key, Position position) implements CommitCondition {}
}
