package dev.colony.library.stream;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.agent.stream.StreamFilter;
import java.util.List;

/** Accepts events of which a handler made a context under one of the given keys. */
@Registered(value = "stream.event-context-key", summary = "Events with one of these context keys.")
public final class EventContextKeyFilter implements StreamFilter {

  /**
   * @param keys at least one
   */
  public record Args(List<String> keys) {

    public Args {
      keys = Wanted.texts("keys", keys);
    }
  }

  private final List<String> keys;

  EventContextKeyFilter(Args args) {
    this.keys = args.keys();
  }

  public static Blueprint bind(String... keys) {
    return Blueprint.bind(EventContextKeyFilter.class, new Args(List.of(keys)));
  }

  @Override
  public boolean accepts(StreamEntry entry) {
    return entry.kind().equals(StreamEntry.EVENT) && keys.stream().anyMatch(entry.content()::has);
  }
}
