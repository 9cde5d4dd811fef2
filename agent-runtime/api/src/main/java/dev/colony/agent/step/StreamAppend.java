package dev.colony.agent.step;

import dev.colony.agent.stream.StreamEntry;
import java.util.Objects;

/**
 * An entry that a consciousness stream has taken.
 *
 * @param keep how many entries the stream holds, this one included
 */
public record StreamAppend(String stream, int keep, StreamEntry entry) {

  public StreamAppend {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(entry, "entry");
  }
}
