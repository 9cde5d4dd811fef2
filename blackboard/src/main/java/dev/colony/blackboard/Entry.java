package dev.colony.blackboard;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.value.ValueMapper;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One value on the blackboard.
 *
 * @param key relative to its scope
 * @param version 1 for the first write of a key, one more for each write after it; it begins again
 *     after the entry has gone
 * @param position of the event of its last write, never the same again; {@link Position#BEGINNING}
 *     for what a transaction has written and not yet committed
 * @param expiresAt when the entry ceases to be visible; empty means never
 */
public record Entry(
    String key,
    JsonNode value,
    long version,
    Position position,
    Instant createdAt,
    String createdBy,
    Instant updatedAt,
    String updatedBy,
    Set<String> tags,
    Map<String, String> metadata,
    Optional<Instant> expiresAt) {

  /**
   * The value as a Java type: a record, a number, a string, a collection.
   *
   * @throws IllegalArgumentException if the value does not fit the type
   */
  public <T> T as(Class<T> type) {
    return ValueMapper.read(key, value, type);
  }
}
