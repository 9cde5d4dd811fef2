package dev.colony.library.stream;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.StreamEntries;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.agent.stream.StreamFilter;
import dev.colony.core.registry.AgentTypes;

/** Accepts the actions that another filter accepts, if they have succeeded. */
@Registered(
    value = "stream.successful-action",
    summary = "Actions that another filter accepts and that have succeeded.")
public final class SuccessfulActionFilter implements StreamFilter {

  /**
   * @param inner a filter
   */
  public record Args(Blueprint inner) {}

  private final StreamFilter inner;

  SuccessfulActionFilter(Args args, AgentTypes types) {
    this.inner = Composed.filter(types, args.inner());
  }

  public static Blueprint bind(Blueprint inner) {
    return Blueprint.bind(SuccessfulActionFilter.class, new Args(Composed.checked(inner)));
  }

  @Override
  public boolean accepts(StreamEntry entry) {
    return entry.kind().equals(StreamEntry.ACTION)
        && StreamEntries.success(entry)
        && inner.accepts(entry);
  }
}
