package dev.colony.agent.stream;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.StreamBlueprint;
import java.time.Instant;
import java.util.Objects;

/**
 * Something that an agent has experienced.
 *
 * @param kind {@link #EVENT}, {@link #ACTION} or a further registered kind
 * @param timestamp when it was taken
 * @param content of an event its contexts by context key; of an action the call: {@code
 *     action_key}, {@code success}, {@code output_preview}, {@code error}
 */
public record StreamEntry(String kind, Instant timestamp, JsonNode content) {

  public static final String EVENT = StreamBlueprint.EVENT;
  public static final String ACTION = StreamBlueprint.ACTION;

  public StreamEntry {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(timestamp, "timestamp");
    Objects.requireNonNull(content, "content");
  }
}
