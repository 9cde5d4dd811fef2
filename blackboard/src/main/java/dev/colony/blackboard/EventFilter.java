package dev.colony.blackboard;

import dev.colony.blackboard.protocol.EntryTag;
import dev.colony.blackboard.protocol.KeyGlob;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Which events a subscriber wants. An event of the whole scope ({@link BlackboardEvent.Cleared})
 * has no key and no tags of its own: it passes wherever it concerns an entry that could match, so
 * that no subscriber misses it by a key pattern; to be without it, filter by type.
 */
public sealed interface EventFilter {

  /** Every event. */
  record All() implements EventFilter {}

  /** Events of entries whose key matches. */
  record Keys(KeyGlob glob) implements EventFilter {}

  /** Events of these types. */
  record Types(Set<EventType> types) implements EventFilter {

    public Types {
      types = Set.copyOf(types);
    }
  }

  /**
   * Events made by one of these writers: agents, or whatever name a blackboard was opened under.
   */
  record Writers(Set<String> writers) implements EventFilter {

    public Writers {
      writers = Set.copyOf(writers);
    }
  }

  /** Events of entries that carry this tag. */
  record Tag(String tag) implements EventFilter {

    public Tag {
      EntryTag.check(tag);
    }
  }

  /** Events that pass all of these; every event if there are none. */
  record And(List<EventFilter> filters) implements EventFilter {

    public And {
      filters = List.copyOf(filters);
    }
  }

  /** Events that pass one of these; no event if there are none. */
  record Or(List<EventFilter> filters) implements EventFilter {

    public Or {
      filters = List.copyOf(filters);
    }
  }

  /** Events that do not pass. */
  record Not(EventFilter filter) implements EventFilter {}

  static EventFilter all() {
    return new All();
  }

  /** Events of entries whose key matches one of these globs, see {@link KeyGlob}. */
  static EventFilter keys(String... globs) {
    return anyOf(Arrays.stream(globs).<EventFilter>map(g -> new Keys(new KeyGlob(g))).toList());
  }

  static EventFilter types(EventType... types) {
    return new Types(Set.of(types));
  }

  static EventFilter writers(String... writers) {
    return new Writers(Set.of(writers));
  }

  static EventFilter tag(String tag) {
    return new Tag(tag);
  }

  private static EventFilter anyOf(List<EventFilter> filters) {
    return filters.size() == 1 ? filters.getFirst() : new Or(filters);
  }

  default EventFilter and(EventFilter other) {
    return new And(List.of(this, other));
  }

  default EventFilter or(EventFilter other) {
    return new Or(List.of(this, other));
  }

  default EventFilter negate() {
    return new Not(this);
  }
}
