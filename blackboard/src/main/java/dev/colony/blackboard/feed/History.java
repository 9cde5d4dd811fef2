package dev.colony.blackboard.feed;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Reads a log page by page for those events that pass a filter. */
public final class History {

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
