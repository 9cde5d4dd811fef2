package dev.colony.node.runtime;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.AgentDirectory.ListedAgent;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.core.dispatch.Backoff;
import dev.colony.journal.JournalException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Purges agents that have stopped or failed: journal and snapshots first, then the entries of their
 * own scopes, last the directory's. An agent without a journal that the directory says has ended
 * does not begin anew, so that a death at any point leaves an agent that is only purged again; the
 * journal is kept where work is outstanding. Repeating it changes nothing. Thread-safe; stages fail
 * as the blackboard and the journal do.
 */
public final class EndedAgents {

  private static final int SCOPES_AT_ONCE = 100;

  private final Blackboards blackboards;
  private final AgentDirectory directory;
  private final ChildRegistry nursery;
  private final Journals journals;

  /**
   * The journals of agents, by persistence id.
   *
   * @param outstanding whether there is work outstanding
   * @param remove removes all of it; false, and nothing goes, where there is work outstanding
   */
  public record Journals(
      Function<String, CompletionStage<Boolean>> outstanding,
      Function<String, CompletionStage<Boolean>> remove) {}

  /** On all blackboards. */
  public EndedAgents(Blackboards blackboards, ChildRegistry nursery, Journals journals) {
    this.blackboards = blackboards;
    this.directory = new AgentDirectory(blackboards);
    this.nursery = nursery;
    this.journals = journals;
  }

  /**
   * Purges one agent.
   *
   * @param ended only if it ended at this time or before
   * @param dryRun changes nothing and says what would become of it now
   */
  public CompletionStage<PurgeReply> purge(AgentId agent, Instant ended, boolean dryRun) {
    return directory
        .look(agent)
        .thenCompose(found ->
            found
                .map(one -> purge(one, ended, dryRun))
                .orElseGet(() -> kept(agent, "there is no agent " + agent)));
  }

  /**
   * A page of what became of a colony's agents, in the order of their names.
   *
   * @param next the name where the page ended; empty after the last
   */
  public record Page(List<PurgeReply> agents, Optional<String> next) {}

  /**
   * Purges those of a page of a colony's agents that ended at a time or before, one after the
   * other.
   *
   * @param after the name where the page before ended
   */
  public CompletionStage<Page> purge(
      String tenant,
      String colony,
      int limit,
      Optional<String> after,
      Instant ended,
      boolean dryRun) {
    return directory
        .list(tenant, colony, limit, after)
        .thenCompose(page -> {
          List<PurgeReply> replies = new ArrayList<>();
          CompletionStage<Void> done = CompletableFuture.completedStage(null);
          for (ListedAgent agent : page) {
            done =
                done.thenCompose(before ->
                        purge(agent, ended, dryRun)
                            .exceptionallyCompose(failure -> unlessAway(agent.id(), failure)))
                    .thenAccept(replies::add);
          }
          Optional<String> next =
              page.size() < limit ? Optional.empty() : Optional.of(page.getLast().id().name());
          return done.thenApply(all -> new Page(List.copyOf(replies), next));
        });
  }

  /** Why an agent stays; empty if it may go. */
  static Optional<String> kept(ListedAgent agent, Instant ended) {
    if (!agent.status().state().terminal()) {
      return Optional.of(
          "agent %s is %s: stop it first".formatted(agent.id(), agent.status().state()));
    }
    return agent.status().since().isAfter(ended)
        ? Optional.of(
            "agent %s is %s since %s, which is not long enough"
                .formatted(agent.id(), agent.status().state(), agent.status().since()))
        : Optional.empty();
  }

  private CompletionStage<PurgeReply> purge(ListedAgent agent, Instant ended, boolean dryRun) {
    Optional<String> reason = kept(agent, ended);
    if (reason.isPresent()) {
      return kept(agent.id(), reason.get());
    }
    String journal = agent.id().persistenceId();
    if (dryRun) {
      return journals
          .outstanding()
          .apply(journal)
          .thenCompose(work ->
              work
                  ? working(agent.id())
                  : CompletableFuture.completedStage(new PurgeReply.Purged(agent.id())));
    }
    return journals
        .remove()
        .apply(journal)
        .thenCompose(gone ->
            gone
                ? clear(agent.id())
                    .thenCompose(cleared -> nursery.forget(agent.id()))
                    .thenApply(forgotten -> new PurgeReply.Purged(agent.id()))
                : working(agent.id()));
  }

  private static CompletionStage<PurgeReply> working(AgentId agent) {
    return kept(
        agent,
        "agent %s has work left, which its node does or the waker has done".formatted(agent));
  }

  /** One agent that cannot be purged keeps no other; a store that is away ends the page. */
  private static CompletionStage<PurgeReply> unlessAway(AgentId agent, Throwable thrown) {
    Throwable failure = Backoff.cause(thrown);
    boolean passes =
        failure instanceof BlackboardException board && board.retryable()
            || failure instanceof JournalException journal && journal.retryable();
    return passes
        ? CompletableFuture.failedStage(failure)
        : kept(agent, "agent %s cannot be purged: %s".formatted(agent, failure.getMessage()));
  }

  private static CompletionStage<PurgeReply> kept(AgentId agent, String reason) {
    return CompletableFuture.completedStage(new PurgeReply.Kept(agent, reason));
  }

  /** All entries of the agent's own scope and its namespaces. */
  private CompletionStage<Void> clear(AgentId agent) {
    // No namespace comes before this one, and no other scope between it and the next ones.
    Scope first = agent.scope().namespace("-");
    return clear(List.of(agent.scope(), first)).thenCompose(done -> clear(agent, first));
  }

  private CompletionStage<Void> clear(AgentId agent, Scope after) {
    return blackboards
        .scopes(Optional.of(after), SCOPES_AT_ONCE)
        .thenCompose(page -> {
          List<Scope> own =
              page.stream()
                  .takeWhile(scope ->
                      scope.level() == ScopeLevel.AGENT
                          && scope.namespace().isPresent()
                          && scope.equals(agent.scope().namespace(scope.namespace().get())))
                  .toList();
          return clear(own)
              .thenCompose(done ->
                  own.size() < SCOPES_AT_ONCE
                      ? CompletableFuture.<Void>completedStage(null)
                      : clear(agent, own.getLast()));
        });
  }

  private CompletionStage<Void> clear(List<Scope> scopes) {
    return CompletableFuture.allOf(
        scopes.stream()
            .map(scope -> blackboards.open(scope, "retention").clear().toCompletableFuture())
            .toArray(CompletableFuture[]::new));
  }

  /** What became of a purge of one agent. */
  public sealed interface PurgeReply {

    AgentId agent();

    /** Nothing of it is left but the events of its scopes, which go with their age. */
    record Purged(AgentId agent) implements PurgeReply {}

    /**
     * Nothing of it was touched.
     *
     * @param reason one line
     */
    record Kept(AgentId agent, String reason) implements PurgeReply {}
  }

  /**
   * Purges what runs that have ended leave on the blackboard before its time is over: result,
   * request and what they made known, those of one run in one transaction. A run without a result
   * is not touched. Repeating it changes nothing. Thread-safe; stages fail as the blackboard does.
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
}
