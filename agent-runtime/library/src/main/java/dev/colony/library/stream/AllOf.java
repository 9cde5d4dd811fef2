package dev.colony.library.stream;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.agent.stream.StreamFilter;
import dev.colony.core.registry.AgentTypes;
import java.util.List;

/** Accepts what every one of its filters accepts; without filters it accepts everything. */
@Registered(value = "stream.all-of", summary = "What every one of several filters accepts.")
public final class AllOf implements StreamFilter {

  private final List<StreamFilter> filters;

  AllOf(Composed.Args args, AgentTypes types) {
    this.filters = Composed.filters(types, args);
  }

  public static Blueprint bind(Blueprint... filters) {
    return Blueprint.bind(AllOf.class, Composed.checked(filters));
  }

  @Override
  public boolean accepts(StreamEntry entry) {
    return filters.stream().allMatch(filter -> filter.accepts(entry));
  }
}
