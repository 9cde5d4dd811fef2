package dev.colony.blackboard.feed;

import dev.colony.blackboard.EventFilter;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Whether an event passes a filter, from its head alone. Pure.
 *
 * <p>What a filter asks of the key or the tags of an event that has none, because it is of the
 * whole scope, is neither true nor false. Such answers are combined by the three-valued logic of
 * Kleene ("Introduction to Metamathematics", 1952, section 64), and an event of which it stays
 * unknown passes: no subscriber misses it by a pattern for keys, and a filter by type still keeps
 * it out.
 */
final class FilterMatch {

  // Numbers in the order of truth, so that "and" is the least, "or" the greatest.
  private static final int FALSE = 0;
  private static final int UNKNOWN = 1;
  private static final int TRUE = 2;

  private FilterMatch() {}

  static boolean passes(EventFilter filter, LoggedEvent event) {
    return truth(filter, event) != FALSE;
  }

  private static int truth(EventFilter filter, LoggedEvent event) {
    return switch (filter) {
      case EventFilter.All all -> TRUE;
      case EventFilter.Keys keys ->
          event.key().map(key -> truth(keys.glob().matches(key))).orElse(UNKNOWN);
      case EventFilter.Types types -> truth(types.types().contains(event.type()));
      case EventFilter.Writers writers -> truth(writers.writers().contains(event.writer()));
      case EventFilter.Tag tag ->
          event.key().isEmpty() ? UNKNOWN : truth(event.tags().contains(tag.tag()));
      case EventFilter.And and -> least(and.filters(), inner -> truth(inner, event));
      case EventFilter.Or or -> TRUE - least(or.filters(), inner -> TRUE - truth(inner, event));
      case EventFilter.Not not -> TRUE - truth(not.filter(), event);
    };
  }

  private static int least(List<EventFilter> filters, ToIntFunction<EventFilter> truth) {
    int least = TRUE;
    for (EventFilter filter : filters) {
      least = Math.min(least, truth.applyAsInt(filter));
      if (least == FALSE) {
        // What is left could be dear: tags have to be decoded.
        break;
      }
    }
    return least;
  }

  private static int truth(boolean holds) {
    return holds ? TRUE : FALSE;
  }
}
