package dev.colony.blackboard;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Set;

/** Something that happened to an entry, stored in the same atomic operation as the change. */
public sealed interface BlackboardEvent {

  Scope scope();

  String key();

  Position position();

  Instant at();

  /** Who made the change: the name under which the blackboard was opened. */
  String writer();

  /**
   * A value was written.
   *
   * @param version the version after the write; the one before it is one less
   */
  record Written(
      Scope scope,
      String key,
      Position position,
      Instant at,
      String writer,
      JsonNode value,
      long version,
      Set<String> tags)
      implements BlackboardEvent {}

  /** An entry was deleted at this version. */
  record Deleted(
      Scope scope, String key, Position position, Instant at, String writer, long version)
      implements BlackboardEvent {}
}
