package dev.colony.blackboard.history;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import java.util.Optional;

/** What a read said of one key. */
record Observed(String key, Optional<Seen> entry) {

  /** An entry as it was read, or as it must have been. */
  record Seen(Position position, long version, JsonNode value) {}

  static Observed of(String key, Optional<Entry> found) {
    return new Observed(
        key, found.map(entry -> new Seen(entry.position(), entry.version(), entry.value())));
  }
}
