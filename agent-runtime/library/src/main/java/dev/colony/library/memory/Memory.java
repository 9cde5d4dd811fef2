package dev.colony.library.memory;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Something that an agent remembers.
 *
 * @param id unique within the agent
 * @param turn orders the agent's memories: 1 for the first, one more for each
 * @param at when it was stored
 * @param accessedAt when it was last recalled by salience or read, or else stored
 * @param kind a short word, {@code action} for what the agent did
 * @param tags in alphabetical order
 * @param importance 0 to 1
 */
public record Memory(
    String id,
    long turn,
    Instant at,
    Instant accessedAt,
    String kind,
    String text,
    List<String> tags,
    double importance) {

  public Memory {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(accessedAt, "accessedAt");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(text, "text");
    tags = List.copyOf(tags);
  }

  /** One line for a prompt: {@code [turn NNN][kind] text}. */
  public String line() {
    return "[turn %03d][%s] %s".formatted(turn, kind, text);
  }

  Memory accessed(Instant now) {
    return new Memory(id, turn, at, now, kind, text, tags, importance);
  }
}
