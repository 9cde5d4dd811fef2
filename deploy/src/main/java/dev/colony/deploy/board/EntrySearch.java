package dev.colony.deploy.board;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Entries in pages that are full as long as there are more. */
public record EntrySearch(Blackboard board, Query query) {

  /**
   * A page. Blocks.
   *
   * @param most entries of the page
   * @param after where the page before ended
   */
  public EntryPage page(int most, Optional<Query.Cursor> after) {
    Optional<Query.Cursor> next = after;
    List<Entry> entries = new ArrayList<>();
    do {
      Query rest = query.limit(most - entries.size());
      EntryPage page = board.query(next.map(rest::from).orElse(rest)).toCompletableFuture().join();
      entries.addAll(page.entries());
      next = page.next();
    } while (entries.size() < most && next.isPresent());
    return new EntryPage(entries, next);
  }
}
