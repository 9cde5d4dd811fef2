package dev.colony.blackboard;

import java.util.List;

/** What became of several writes made at once: all are stored, or nothing was changed. */
public sealed interface CommitResult {

  /**
   * All are stored, and so are their events, one after the other.
   *
   * @param written one for each write, in their order
   * @param position of the scope's newest event right after it; events up to it were before or of
   *     this commit
   */
  record Committed(List<WriteResult.Written> written, Position position) implements CommitResult {}

  /**
   * One of the entries was not as expected; nothing was changed.
   *
   * @param actualVersion the version it has, 0 if it is absent
   */
  record Conflict(String key, long actualVersion) implements CommitResult {}
}
