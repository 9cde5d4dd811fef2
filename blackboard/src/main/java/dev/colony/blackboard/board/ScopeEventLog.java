package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToIntFunction;

/**
 * The stored events of one scope. Stages fail with {@link
 * dev.colony.blackboard.BlackboardException}.
 */
public interface ScopeEventLog {

  /**
   * Some events in their order.
   *
   * @param end whether no more were stored
   */
  record Page(List<LoggedEvent> events, boolean end) {}

  /** The position of the newest event, {@link Position#BEGINNING} where there never was one. */
  CompletionStage<Position> head();

  /**
   * The oldest events after a position.
   *
   * @param limit how many at most
   * @param maxBytes how many bytes of values at most; the first event comes whatever its size
   */
  CompletionStage<Page> read(Position after, int limit, long maxBytes);

  /**
   * What was last acknowledged under a name; makes the durable subscription where it is new. One
   * that begins with all that is retained is then at the predecessor of the oldest stored event, so
   * that events trimmed from there on are missed.
   */
  CompletionStage<Position> acknowledged(SubscribeFrom.Durable durable);

  /**
   * An event as the log holds it: linked to the one before it, so that a gap shows, and with all
   * that a filter asks for at hand before its value is decoded.
   */
  interface LoggedEvent {

    Position position();

    /** The position of the event before it in the same scope. */
    Position previous();

    EventType type();

    /** The entry's key; empty for an event of the whole scope. */
    Optional<String> key();

    String writer();

    /** None for an event of the whole scope. */
    Set<String> tags();

    /** What it takes in memory, its value above all. */
    int bytes();

    /** The event itself; may be decoded at each call. */
    BlackboardEvent event();
  }

  /** Reads a log page by page for those events that pass a filter. */
  static final class History {

    private static final int PAGE_EVENTS = 1_000;
    private static final long PAGE_BYTES = 4L << 20;

    private final ScopeEventLog log;
    private final EventFilter filter;
    private final int limit;
    private final List<BlackboardEvent> found = new ArrayList<>();

    private History(ScopeEventLog log, EventFilter filter, int limit) {
      this.log = log;
      this.filter = filter;
      this.limit = limit;
    }

    /** See {@link dev.colony.blackboard.Blackboard#history}. */
    public static CompletionStage<List<BlackboardEvent>> read(
        ScopeEventLog log, EventFilter filter, Position after, int limit) {
      return new History(log, filter, limit).from(after);
    }

    private CompletionStage<List<BlackboardEvent>> from(Position after) {
      int page =
          filter instanceof EventFilter.All
              ? Math.min(PAGE_EVENTS, limit - found.size())
              : PAGE_EVENTS;
      return log.read(after, page, PAGE_BYTES).thenCompose(this::take);
    }

    private CompletionStage<List<BlackboardEvent>> take(ScopeEventLog.Page page) {
      for (LoggedEvent event : page.events()) {
        if (found.size() < limit && FilterMatch.passes(filter, event)) {
          found.add(event.event());
        }
      }
      return page.end() || found.size() == limit
          ? CompletableFuture.completedStage(List.copyOf(found))
          : from(page.events().getLast().position());
    }
  }

  /**
   * Whether an event passes a filter, from its head alone. Pure.
   *
   * <p>What a filter asks of the key or the tags of an event that has none, because it is of the
   * whole scope, is neither true nor false. Such answers are combined by the three-valued logic of
   * Kleene ("Introduction to Metamathematics", 1952, section 64), and an event of which it stays
   * unknown passes: no subscriber misses it by a pattern for keys, and a filter by type still keeps
   * it out.
   */
  static final class FilterMatch {

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
}
