package dev.colony.testkit.board;

import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.value.ValueCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An entry as it is kept: its value is bytes, so that no caller that was handed the entry can
 * change it. Immutable.
 */
record MemoryEntry(
    String key,
    byte[] value,
    long version,
    Position position,
    Instant createdAt,
    String createdBy,
    Instant updatedAt,
    String updatedBy,
    Set<String> tags,
    Map<String, String> metadata,
    Optional<Instant> expiresAt) {

  /** What a write makes of the entry that was there. */
  static MemoryEntry written(
      Change.Put put,
      byte[] value,
      Optional<MemoryEntry> old,
      Position position,
      Instant now,
      String writer) {
    return new MemoryEntry(
        put.key(),
        value,
        old.map(MemoryEntry::version).orElse(0L) + 1,
        position,
        old.map(MemoryEntry::createdAt).orElse(now),
        old.map(MemoryEntry::createdBy).orElse(writer),
        now,
        writer,
        put.tags(),
        put.metadata(),
        put.ttl().map(ttl -> end(now, ttl)));
  }

  /** The same with a time to live from now on. */
  MemoryEntry expiring(Instant now, Duration ttl) {
    return new MemoryEntry(
        key,
        value,
        version,
        position,
        createdAt,
        createdBy,
        updatedAt,
        updatedBy,
        tags,
        metadata,
        Optional.of(end(now, ttl)));
  }

  private static Instant end(Instant now, Duration ttl) {
    return now.plusMillis(ttl.plusNanos(999_999).toMillis());
  }

  Entry decoded(ValueCodec codec) {
    return new Entry(
        key,
        codec.value(value),
        version,
        position,
        createdAt,
        createdBy,
        updatedAt,
        updatedBy,
        tags,
        metadata,
        expiresAt);
  }
}
