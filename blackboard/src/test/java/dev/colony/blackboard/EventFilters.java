package dev.colony.blackboard;

import dev.colony.blackboard.protocol.KeyGlob;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Any filter over a few names, and what it means for an event of an entry, said naively. */
public final class EventFilters {

  public static final List<String> KEYS = List.of("a", "ab", "b:1", "b:2");
  public static final List<String> TAGS = List.of("x", "y", "z");
  public static final List<String> WRITERS = List.of("alice", "bob");

  private EventFilters() {}

  public static boolean holds(
      EventFilter filter, EventType type, String key, String writer, Set<String> tags) {
    return switch (filter) {
      case EventFilter.All all -> true;
      case EventFilter.Keys keys -> keys.glob().matches(key);
      case EventFilter.Types types -> types.types().contains(type);
      case EventFilter.Writers writers -> writers.writers().contains(writer);
      case EventFilter.Tag tag -> tags.contains(tag.tag());
      case EventFilter.And and ->
          and.filters().stream().allMatch(each -> holds(each, type, key, writer, tags));
      case EventFilter.Or or ->
          or.filters().stream().anyMatch(each -> holds(each, type, key, writer, tags));
      case EventFilter.Not not -> !holds(not.filter(), type, key, writer, tags);
    };
  }

  public static Arbitrary<EventFilter> any() {
    return Arbitraries.recursive(
        EventFilters::leaves, inner -> Arbitraries.oneOf(composed(inner)), 0, 3);
  }

  private static Arbitrary<EventFilter> leaves() {
    return Arbitraries.oneOf(
        Stream.<Arbitrary<? extends EventFilter>>of(
                Arbitraries.just(EventFilter.all()),
                Arbitraries.of("*", "a*", "b:?", "ab").map(KeyGlob::new).map(EventFilter.Keys::new),
                Arbitraries.of(EventType.class).set().map(EventFilter.Types::new),
                Arbitraries.of(WRITERS).set().map(EventFilter.Writers::new),
                Arbitraries.of(TAGS).map(EventFilter::tag))
            .map(EventFilters::wide)
            .toList());
  }

  private static Arbitrary<EventFilter> wide(Arbitrary<? extends EventFilter> narrow) {
    return narrow.map(filter -> filter);
  }

  private static List<Arbitrary<EventFilter>> composed(Arbitrary<EventFilter> inner) {
    return List.of(
        inner.map(EventFilter::negate),
        inner.list().ofMaxSize(3).map(EventFilter.And::new),
        inner.list().ofMaxSize(3).map(EventFilter.Or::new));
  }
}
