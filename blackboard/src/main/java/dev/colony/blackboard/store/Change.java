package dev.colony.blackboard.store;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One of the changes of a commit. */
public sealed interface Change {

  String key();

  /**
   * Writes the entry.
   *
   * @param recipient whose inbox takes it too
   * @param offered whether it is refused where too much waits for the recipient already
   */
  record Put(
      String key,
      JsonNode value,
      Set<String> tags,
      Map<String, String> metadata,
      Optional<Duration> ttl,
      Optional<String> recipient,
      boolean offered)
      implements Change {}

  /**
   * Gives the entry this time to live, from now on, and changes nothing else of it; without an
   * event. Nothing happens if it is absent.
   */
  record Limit(String key, Duration ttl) implements Change {}

  /** Deletes the entry; nothing happens if it is absent. */
  record Remove(String key) implements Change {}
}
