package dev.colony.library.stream;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.agent.stream.StreamFilter;
import dev.colony.core.registry.AgentTypes;

/** Accepts what another filter does not accept. */
@Registered(value = "stream.not", summary = "What another filter does not accept.")
public final class Not implements StreamFilter {

  /**
   * @param filter a filter
   */
  public record Args(Blueprint filter) {}

  private final StreamFilter filter;

  Not(Args args, AgentTypes types) {
    this.filter = Composed.filter(types, args.filter());
  }

  public static Blueprint bind(Blueprint filter) {
    return Blueprint.bind(Not.class, new Args(Composed.checked(filter)));
  }

  @Override
  public boolean accepts(StreamEntry entry) {
    return !filter.accepts(entry);
  }
}
