package dev.colony.library.stream;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.agent.stream.StreamFilter;
import dev.colony.core.registry.AgentTypes;
import java.util.List;

/** Accepts what at least one of its filters accepts; without filters it accepts nothing. */
@Registered(value = "stream.any-of", summary = "What at least one of several filters accepts.")
public final class AnyOf implements StreamFilter {

  private final List<StreamFilter> filters;

  AnyOf(Composed.Args args, AgentTypes types) {
    this.filters = Composed.filters(types, args);
  }

  public static Blueprint bind(Blueprint... filters) {
    return Blueprint.bind(AnyOf.class, Composed.checked(filters));
  }

  @Override
  public boolean accepts(StreamEntry entry) {
    return filters.stream().anyMatch(filter -> filter.accepts(entry));
  }
}
