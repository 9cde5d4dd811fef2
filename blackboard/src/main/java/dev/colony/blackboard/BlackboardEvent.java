package dev.colony.blackboard;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Something that happened in a scope, stored in the same atomic operation as the change. */
public sealed interface BlackboardEvent {

  Scope scope();

  Position position();

  Instant at();

  /**
   * Who made the change: the name under which the blackboard was opened; for an expiry, who had
   * written the entry.
   */
  String writer();

  default EventType type() {
    return switch (this) {
      case Written change -> EventType.WRITTEN;
      case Deleted change -> EventType.DELETED;
      case Expired change -> EventType.EXPIRED;
      case Cleared change -> EventType.CLEARED;
    };
  }

  /** The entry that it happened to; empty for an event of the whole scope. */
  default Optional<String> entryKey() {
    return switch (this) {
      case OfEntry one -> Optional.of(one.key());
      case Cleared all -> Optional.empty();
    };
  }

  /** Something that happened to one entry. */
  sealed interface OfEntry extends BlackboardEvent {

    String key();

    /** The version before the change; 0 where there was no entry. */
    long oldVersion();

    /** The version after the change; 0 where there is no entry any more. */
    long version();

    /** The tags of the written value, or of the entry that went. */
    Set<String> tags();
  }

  /** A value was written. */
  record Written(
      Scope scope,
      String key,
      Position position,
      Instant at,
      String writer,
      JsonNode value,
      long oldVersion,
      long version,
      Set<String> tags)
      implements OfEntry {}

  /**
   * An entry was deleted.
   *
   * @param evicted true if no caller asked for it: an eviction policy made room
   */
  record Deleted(
      Scope scope,
      String key,
      Position position,
      Instant at,
      String writer,
      long oldVersion,
      Set<String> tags,
      boolean evicted)
      implements OfEntry {

    @Override
    public long version() {
      return 0;
    }
  }

  /** An entry's time to live was over. */
  record Expired(
      Scope scope,
      String key,
      Position position,
      Instant at,
      String writer,
      long oldVersion,
      Set<String> tags)
      implements OfEntry {

    @Override
    public long version() {
      return 0;
    }
  }

  /**
   * All entries of the scope were deleted at once.
   *
   * @param entries how many there were
   */
  record Cleared(Scope scope, Position position, Instant at, String writer, long entries)
      implements BlackboardEvent {}
}
