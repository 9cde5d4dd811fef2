package dev.colony.node.runtime;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Purges what runs that have ended leave on the blackboard before its time is over: result, request
 * and what they made known, those of one run in one transaction. A run without a result is not
 * touched. Repeating it changes nothing. Thread-safe; stages fail as the blackboard does.
 */
public record EndedRuns(Blackboards blackboards) {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();
  private static final int RESULTS_AT_ONCE = 100;
  private static final int EVENTS_OF_A_RUN = 1_000;

  /**
   * What became of the runs of some scopes.
   *
   * @param runs how many are purged
   * @param next where to go on; empty after the last
   */
  public record Page(long runs, Optional<Scope> next) {}

  /**
   * Purges the runs of agents of a colony that ended at a time or before.
   *
   * @param after where the page before ended
   * @param scopes how many are looked at, at least 1; each agent has one for each namespace
   * @param dryRun counts, and changes nothing
   */
  public CompletionStage<Page> purge(
      String tenant,
      String colony,
      Optional<Scope> after,
      int scopes,
      Instant ended,
      boolean dryRun) {
    Scope whole = Scope.colony(tenant, colony);
    return blackboards
        .scopes(Optional.of(after.orElse(whole)), scopes)
        .thenCompose(page -> {
          // Those of colonies whose names begin like this one's stand between them.
          boolean more = page.size() == scopes && page.getLast().path().startsWith(whole.path());
          CompletionStage<Long> purged = CompletableFuture.completedStage(0L);
          for (Scope scope : page) {
            if (scope.level() == ScopeLevel.AGENT
                && scope.tenant().equals(tenant)
                && scope.colony().equals(Optional.of(colony))) {
              purged =
                  purged.thenCompose(sum ->
                      purge(blackboards.open(scope, "retention"), Optional.empty(), ended, dryRun)
                          .thenApply(some -> sum + some));
            }
          }
          return purged.thenApply(
              sum -> new Page(sum, more ? Optional.of(page.getLast()) : Optional.empty()));
        });
  }

  private CompletionStage<Long> purge(
      Blackboard board, Optional<Query.Cursor> from, Instant ended, boolean dryRun) {
    Query all = Query.keys(PROTOCOL.resultPattern().pattern()).limit(RESULTS_AT_ONCE);
    return board
        .query(from.map(all::from).orElse(all))
        .thenCompose(page -> {
          List<Entry> over =
              page.entries().stream().filter(entry -> !entry.updatedAt().isAfter(ended)).toList();
          CompletionStage<Long> done =
              CompletableFuture.completedStage(dryRun ? (long) over.size() : 0L);
          for (Entry result : dryRun ? List.<Entry>of() : over) {
            done =
                done.thenCompose(
                    sum -> remove(board, result).thenApply(removed -> removed ? sum + 1 : sum));
          }
          return done.thenCompose(sum ->
              page.next().isEmpty()
                  ? CompletableFuture.completedStage(sum)
                  : purge(board, page.next(), ended, dryRun).thenApply(more -> sum + more));
        });
  }

  /** False, and nothing goes, where the run was asked for anew under its key since. */
  private static CompletionStage<Boolean> remove(Blackboard board, Entry result) {
    String id = PROTOCOL.resultId(result.key()).orElseThrow();
    String agent = board.scope().id().orElseThrow();
    return board
        .query(Query.keys(PROTOCOL.eventPattern(id).pattern()).limit(EVENTS_OF_A_RUN))
        .thenCompose(events -> {
          List<String> keys = new ArrayList<>(events.entries().stream().map(Entry::key).toList());
          keys.add(PROTOCOL.requestKey(agent, id));
          keys.add(result.key());
          return board.transaction(tx ->
              tx.read(result.key())
                  .thenCompose(now ->
                      now.filter(same -> same.position().equals(result.position())).isEmpty()
                          ? CompletableFuture.completedStage(false)
                          : CompletableFuture.allOf(
                                  keys.stream()
                                      .map(key -> tx.delete(key).toCompletableFuture())
                                      .toArray(CompletableFuture[]::new))
                              .thenApply(deleted -> true)));
        });
  }
}
