package dev.colony.client.session;

import dev.colony.agent.AgentException;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.Session.SessionTotals;
import dev.colony.agent.client.SessionRun;
import dev.colony.agent.client.Sessions;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.Write;
import dev.colony.client.wire.WireJson;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Sessions on a blackboard. What a session is and what it took stands in its own scope, see {@link
 * SessionLedger}; the colony's scope, namespace {@code sessions}, only says which there are. The
 * two are written one after the other, and a crash in between is mended by the caller that repeats
 * the call or lists the sessions: the session's own scope has the say.
 */
public final class BlackboardSessions implements Sessions {

  private static final String NAMESPACE = "sessions";
  private static final int MOST_AT_ONCE = 10_000;

  private final Blackboards blackboards;
  private final String tenant;
  private final String colony;
  private final InstantSource clock;
  private final Blackboard registry;

  public BlackboardSessions(
      Blackboards blackboards, String tenant, String colony, InstantSource clock) {
    this.blackboards = blackboards;
    this.tenant = tenant;
    this.colony = colony;
    this.clock = clock;
    this.registry = blackboards.open(Scope.colony(tenant, colony).namespace(NAMESPACE), NAMESPACE);
  }

  @Override
  public CompletableFuture<Session> open(SessionId id, String by) {
    Session opening = new Session(id, by, clock.instant(), Optional.empty(), SessionTotals.NONE);
    return ledger(id)
        .open(opening)
        .thenCompose(session -> enter(session).thenApply(done -> session))
        .thenApply(session -> {
          session
              .closed()
              .ifPresent(closing -> {
                throw AgentException.refused(
                    "session " + id + " is closed and cannot be opened again: " + closing.reason());
              });
          return session;
        })
        .thenCompose(session -> get(id).thenApply(found -> found.orElse(session)))
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Optional<Session>> get(SessionId id) {
    return ledger(id).read().toCompletableFuture();
  }

  @Override
  public CompletableFuture<Session> close(SessionId id, String by, String reason) {
    Session.Closing closing = new Session.Closing(clock.instant(), by, reason);
    return ledger(id)
        .change(session -> session.closed().isPresent() ? session : session.close(closing))
        .thenCompose(changed -> {
          Session closed =
              changed.orElseThrow(
                  () -> AgentException.refused("there is no session " + id + " to close"));
          return enter(closed);
        })
        .thenCompose(done -> get(id))
        .thenApply(Optional::orElseThrow)
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Page<Session>> list(
      Optional<Session.State> state, int limit, Optional<String> after) {
    checkLimit(limit);
    Query all = Query.all().limit(limit);
    Query some = state.map(only -> all.allTags(tag(only))).orElse(all);
    Query rest = after.map(id -> some.from(new Query.Cursor(id))).orElse(some);
    return registry
        .query(rest)
        .thenCompose(page -> {
          List<CompletableFuture<Optional<Session>>> asked =
              page.entries().stream()
                  .map(entry ->
                      current(new SessionId(entry.key()), entry.tags().iterator().next())
                          .toCompletableFuture())
                  .toList();
          return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
              .thenApply(done ->
                  new Page<>(
                      asked.stream()
                          .flatMap(one -> one.join().stream())
                          .filter(one -> state.isEmpty() || state.get() == one.state())
                          .toList(),
                      page.next().map(Query.Cursor::afterKey)));
        })
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Page<SessionRun>> runs(
      SessionId id, Optional<SessionRun.Status> status, int limit, Optional<String> after) {
    checkLimit(limit);
    return ledger(id).runs(status, limit, after).toCompletableFuture();
  }

  /**
   * Removes those of a page of sessions in which nothing has happened for a time, with their
   * totals; one with a run under way stays. Killed in its middle it is mended by the next call.
   *
   * @param after the id where the page before ended
   * @param now by the blackboard's clock, about
   */
  public CompletionStage<Page<SessionId>> removeIdle(
      int limit, Optional<String> after, Duration idle, Instant now) {
    Query all = Query.all().limit(limit);
    return registry
        .query(after.map(id -> all.from(new Query.Cursor(id))).orElse(all))
        .thenCompose(page -> {
          List<SessionId> ids =
              page.entries().stream().map(entry -> new SessionId(entry.key())).toList();
          List<SessionId> removed = Collections.synchronizedList(new ArrayList<>());
          CompletableFuture<?>[] asked =
              ids.stream()
                  .map(id ->
                      ledger(id)
                          .remove(now.minus(idle))
                          .thenCompose(gone -> gone ? leave(id) : done())
                          .thenAccept(left -> {
                            if (left) {
                              removed.add(id);
                            }
                          })
                          .toCompletableFuture())
                  .toArray(CompletableFuture[]::new);
          return CompletableFuture.allOf(asked)
              .thenApply(done ->
                  new Page<>(List.copyOf(removed), page.next().map(Query.Cursor::afterKey)));
        });
  }

  private static CompletionStage<Boolean> done() {
    return CompletableFuture.completedStage(false);
  }

  /** Takes a session out of the registry, unless it has just been opened anew. */
  private CompletionStage<Boolean> leave(SessionId id) {
    return registry
        .delete(id.value())
        .thenCompose(left -> ledger(id).read())
        .thenCompose(anew ->
            anew.isPresent()
                ? enter(anew.get()).thenApply(entered -> false)
                : CompletableFuture.completedStage(true));
  }

  /** Whether a scope says which sessions a colony has. */
  public static boolean registers(Scope scope) {
    return scope.level() == ScopeLevel.COLONY && scope.namespace().equals(Optional.of(NAMESPACE));
  }

  CompletionStage<Void> enter(Session session) {
    Write write =
        Write.of(session.sessionId().value(), WireJson.write(session)).tags(tag(session.state()));
    // An open one never takes the place of a closed one: it was read before that was closed.
    return registry
        .write(session.state() == Session.State.OPEN ? write.ifAbsent() : write)
        .thenAccept(done -> {});
  }

  /** The session as it is, and the registry mended where it says otherwise. */
  private CompletionStage<Optional<Session>> current(SessionId id, String entered) {
    return get(id)
        .thenCompose(found ->
            found.filter(session -> !tag(session.state()).equals(entered)).isPresent()
                ? enter(found.get()).thenApply(done -> found)
                : CompletableFuture.completedStage(found));
  }

  private SessionLedger ledger(SessionId id) {
    return new SessionLedger(blackboards, tenant, colony, id, NAMESPACE);
  }

  private static String tag(Session.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  private static void checkLimit(int limit) {
    if (limit < 1 || limit > MOST_AT_ONCE) {
      throw new IllegalArgumentException(
          "limit must be 1 to " + MOST_AT_ONCE + ", but is " + limit);
    }
  }
}
