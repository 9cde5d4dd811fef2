package dev.colony.blackboard;

/** What became of a write: it is stored, or the entry was not at the expected version. */
public sealed interface WriteResult {

  /**
   * The write is stored and so is its event.
   *
   * @param version the entry's version from now on
   * @param position the event's position in its scope
   */
  record Written(long version, Position position) implements WriteResult {}

  /**
   * The entry was not at the expected version; nothing was changed.
   *
   * @param actualVersion the version it has, 0 if it is absent
   */
  record VersionConflict(long actualVersion) implements WriteResult {}
}
