package dev.colony.library.policy;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.ConsciousnessStream.StreamEntries;
import dev.colony.agent.stream.ConsciousnessStream.StreamFilter;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.core.registry.AgentTypes;
import java.util.Arrays;
import java.util.List;

/** The stock filters of consciousness streams, bound by their {@code bind} methods. */
public final class StreamFilters {

  private StreamFilters() {}

  /** Accepts events of which a handler made a context under one of the given keys. */
  @Registered(
      value = "stream.event-context-key",
      summary = "Events with one of these context keys.")
  public static final class EventContextKeyFilter implements StreamFilter {

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

  @Registered(
      value = "stream.action-key-substring",
      summary = "Actions whose key contains one of these texts.")
  public static final class ActionKeySubstringFilter implements StreamFilter {

    /**
     * @param substrings at least one; case matters
     */
    public record Args(List<String> substrings) {

      public Args {
        substrings = Wanted.texts("substrings", substrings);
      }
    }

    private final List<String> substrings;

    ActionKeySubstringFilter(Args args) {
      this.substrings = args.substrings();
    }

    public static Blueprint bind(String... substrings) {
      return Blueprint.bind(ActionKeySubstringFilter.class, new Args(List.of(substrings)));
    }

    @Override
    public boolean accepts(StreamEntry entry) {
      return entry.kind().equals(StreamEntry.ACTION)
          && substrings.stream().anyMatch(StreamEntries.actionKey(entry)::contains);
    }
  }

  /** Accepts the actions that another filter accepts, if they have succeeded. */
  @Registered(
      value = "stream.successful-action",
      summary = "Actions that another filter accepts and that have succeeded.")
  public static final class SuccessfulActionFilter implements StreamFilter {

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

  /** Accepts what at least one of its filters accepts; without filters it accepts nothing. */
  @Registered(value = "stream.any-of", summary = "What at least one of several filters accepts.")
  public static final class AnyOf implements StreamFilter {

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

  /** Accepts what every one of its filters accepts; without filters it accepts everything. */
  @Registered(value = "stream.all-of", summary = "What every one of several filters accepts.")
  public static final class AllOf implements StreamFilter {

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

  /** Accepts what another filter does not accept. */
  @Registered(value = "stream.not", summary = "What another filter does not accept.")
  public static final class Not implements StreamFilter {

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

  static final class Composed {

    private Composed() {}

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

  /** What a filter is asked to look for. */
  static final class Wanted {

    private Wanted() {}

    /** A copy; none, or an empty text, which would stand for everything, is refused. */
    static List<String> texts(String name, List<String> texts) {
      if (texts == null
          || texts.isEmpty()
          || texts.stream().anyMatch(one -> one == null || one.isEmpty())) {
        throw new IllegalArgumentException(
            name + " are one text or more, none of them empty, but are " + texts);
      }
      return List.copyOf(texts);
    }
  }
}
