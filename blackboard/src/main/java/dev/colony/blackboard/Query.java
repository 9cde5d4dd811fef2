package dev.colony.blackboard;

import dev.colony.blackboard.protocol.EntryKey;
import dev.colony.blackboard.protocol.EntryTag;
import dev.colony.blackboard.protocol.KeyGlob;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which entries to find. All conditions hold at once; an empty set is no condition.
 *
 * @param keys the glob that keys match
 * @param allTags tags of which an entry carries every one
 * @param anyTags tags of which an entry carries at least one
 * @param noTags tags of which an entry carries none
 * @param updatedSince entries written at this instant or later, by the cluster time
 * @param limit how many entries a page has at most, at least 1
 * @param cursor where the page before this one ended
 */
public record Query(
    KeyGlob keys,
    Set<String> allTags,
    Set<String> anyTags,
    Set<String> noTags,
    Optional<Instant> updatedSince,
    int limit,
    Optional<Cursor> cursor) {

  /** How many entries a page has where nothing else is asked for. */
  public static final int DEFAULT_LIMIT = 100;

  /**
   * Where a page ended: the next one begins after this key. It stays good however much is written
   * meanwhile.
   */
  public record Cursor(String afterKey) {

    public Cursor {
      EntryKey.check(afterKey);
    }
  }

  public Query {
    allTags = Set.copyOf(allTags);
    anyTags = Set.copyOf(anyTags);
    noTags = Set.copyOf(noTags);
    Stream.of(allTags, anyTags, noTags).flatMap(Set::stream).forEach(EntryTag::check);
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, but is " + limit);
    }
  }

  /** Entries whose keys match a glob ({@code *} and {@code ?}). */
  public static Query keys(String glob) {
    return new Query(
        new KeyGlob(glob),
        Set.of(),
        Set.of(),
        Set.of(),
        Optional.empty(),
        DEFAULT_LIMIT,
        Optional.empty());
  }

  /** All entries. */
  public static Query all() {
    return keys("*");
  }

  public Query allTags(String... tags) {
    return new Query(keys, Set.of(tags), anyTags, noTags, updatedSince, limit, cursor);
  }

  public Query anyTags(String... tags) {
    return new Query(keys, allTags, Set.of(tags), noTags, updatedSince, limit, cursor);
  }

  public Query noTags(String... tags) {
    return new Query(keys, allTags, anyTags, Set.of(tags), updatedSince, limit, cursor);
  }

  public Query updatedSince(Instant since) {
    return new Query(keys, allTags, anyTags, noTags, Optional.of(since), limit, cursor);
  }

  public Query limit(int newLimit) {
    return new Query(keys, allTags, anyTags, noTags, updatedSince, newLimit, cursor);
  }

  /** The same query, going on where a page ended. */
  public Query from(Cursor newCursor) {
    return new Query(keys, allTags, anyTags, noTags, updatedSince, limit, Optional.of(newCursor));
  }
}
