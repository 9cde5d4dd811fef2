package dev.colony.agent.stream;

import java.util.List;
import java.util.Map;

/**
 * What a stream is made of. It holds no entries: those are part of the agent's durable state, and
 * the stream says which it takes and how they read. Pure.
 *
 * @param filters by the kind of entry; of a kind that is absent the stream takes none
 */
public record ConsciousnessStream(
    String name,
    ConsciousnessStreamFormatter formatter,
    Map<String, StreamFilter> filters,
    int maxEntries) {

  public ConsciousnessStream {
    filters = Map.copyOf(filters);
  }

  /** Whether the stream takes an entry. */
  public boolean takes(StreamEntry entry) {
    StreamFilter filter = filters.get(entry.kind());
    return filter != null && filter.accepts(entry);
  }

  /** The section for the prompt; empty for none. */
  public String render(List<StreamEntry> entries) {
    return formatter.format(entries);
  }
}
