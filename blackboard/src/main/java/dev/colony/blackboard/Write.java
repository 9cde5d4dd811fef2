package dev.colony.blackboard;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.protocol.EntryTag;
import dev.colony.blackboard.value.Text;
import dev.colony.blackboard.value.ValueMapper;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * One write to a key.
 *
 * @param ttl after how long the entry ceases to be visible, more than 0 and at most 36,500 days;
 *     counted in milliseconds, a fraction as a whole one; empty means never
 * @param expectedVersion the version that the entry must have for the write to happen; 0 means that
 *     it must be absent; empty means whatever it is
 */
public record Write(
    String key,
    JsonNode value,
    Set<String> tags,
    Map<String, String> metadata,
    Optional<Duration> ttl,
    OptionalLong expectedVersion) {

  private static final Duration MAX_TTL = Duration.ofDays(36_500);

  public Write {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    tags = Set.copyOf(tags);
    tags.forEach(EntryTag::check);
    metadata = Map.copyOf(metadata);
    metadata.forEach((name, text) -> {
      Text.check("a name in the metadata", name);
      Text.check("the metadata " + name, text);
    });
    ttl.filter(time -> time.isZero() || time.isNegative() || time.compareTo(MAX_TTL) > 0)
        .ifPresent(time -> {
          throw new IllegalArgumentException(
              "ttl must be more than 0 and at most " + MAX_TTL + ", but is " + time);
        });
    if (expectedVersion.orElse(0) < 0) {
      throw new IllegalArgumentException(
          "expectedVersion must be 0 or more, but is " + expectedVersion.getAsLong());
    }
  }

  public static Write of(String key, JsonNode value) {
    return new Write(key, value, Set.of(), Map.of(), Optional.empty(), OptionalLong.empty());
  }

  /**
   * Writes a Java object: a record, a number, a string, a collection.
   *
   * @throws IllegalArgumentException if it has no JSON form
   */
  public static Write value(String key, Object value) {
    return of(key, ValueMapper.write(key, value));
  }

  public Write tags(String... newTags) {
    return new Write(key, value, Set.of(newTags), metadata, ttl, expectedVersion);
  }

  public Write metadata(Map<String, String> newMetadata) {
    return new Write(key, value, tags, newMetadata, ttl, expectedVersion);
  }

  public Write ttl(Duration newTtl) {
    return new Write(key, value, tags, metadata, Optional.of(newTtl), expectedVersion);
  }

  public Write expectVersion(long version) {
    return new Write(key, value, tags, metadata, ttl, OptionalLong.of(version));
  }

  public Write ifAbsent() {
    return expectVersion(0);
  }
}
