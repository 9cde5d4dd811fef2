package dev.colony.library.stream;

import dev.colony.agent.Blueprint;
import dev.colony.agent.stream.StreamFilter;
import dev.colony.core.registry.AgentTypes;
import java.util.Arrays;
import java.util.List;

/** Filters that are made of filters. */
final class Composed {

  private Composed() {}

  /** The arguments of a filter made of several. */
  record Args(List<Blueprint> filters) {

    Args {
      filters = filters == null ? List.of() : List.copyOf(filters);
    }
  }

  /** The blueprint, if it is one of a filter that is installed here. */
  static Blueprint checked(Blueprint filter) {
    AgentTypes.installed().find(StreamFilter.class, filter);
    return filter;
  }

  static Args checked(Blueprint... filters) {
    return new Args(Arrays.stream(filters).map(Composed::checked).toList());
  }

  static StreamFilter filter(AgentTypes types, Blueprint filter) {
    return types.create(StreamFilter.class, filter, types);
  }

  static List<StreamFilter> filters(AgentTypes types, Args args) {
    return args.filters().stream().map(one -> filter(types, one)).toList();
  }
}
