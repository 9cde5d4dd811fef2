package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Reads stored events until there are as many as asked for that an agent may see. Where the policy
 * leaves none out, that is one read.
 */
final class VisibleHistory {

  /** After a read that was not enough, no fewer are read at a time, however few are wanted. */
  private static final int FURTHER_EVENTS = 64;

  private final WriterStore store;
  private final BoardPermissions gate;
  private final EventFilter filter;
  private final int limit;
  private final List<BlackboardEvent> visible = new ArrayList<>();

  VisibleHistory(WriterStore store, BoardPermissions gate, EventFilter filter, int limit) {
    this.store = store;
    this.gate = gate;
    this.filter = filter;
    this.limit = limit;
  }

  CompletionStage<List<BlackboardEvent>> after(Position position) {
    return read(position, limit);
  }

  private CompletionStage<List<BlackboardEvent>> read(Position after, int count) {
    return store
        .history(filter, after, count)
        .thenCompose(found -> {
          found.stream().filter(gate::shows).forEach(visible::add);
          if (visible.size() >= limit || found.size() < count) {
            return CompletableFuture.completedStage(visible.stream().limit(limit).toList());
          }
          // On a thread of its own: with a store that answers at once, the stack would grow.
          return CompletableFuture.supplyAsync(
                  () -> read(found.getLast().position(), Math.max(limit, FURTHER_EVENTS)),
                  Threads.VIRTUAL)
              .thenCompose(more -> more);
        });
  }
}
