package dev.colony.client.session;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunRequest;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.Session.SessionTotals;
import dev.colony.agent.client.SessionRun;
import dev.colony.agent.client.Sessions;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.client.wire.WireJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * One session's own entries: itself, its runs and their sums, all in one scope, so that a
 * transaction holds them together.
 *
 * <p>A run's record and the sum that it goes into change in one commit, and only if the record says
 * that they have not yet: so a run counts once however often its end is reported, by whichever
 * node. A single sum would make all runs of the session contend for one entry; there are {@value
 * #STRIPES}, and a run's key says which is its own. A reader of the totals adds them up from one
 * moment's reading.
 */
final class SessionLedger {

  static final String NAMESPACE = "runs";

  private static final int STRIPES = 16;
  private static final String SESSION = "session";
  private static final String SUM = "sum:";
  private static final KeyTemplate RUN = KeyTemplate.of("run:{agent}:{namespace}:{id}");
  private static final List<String> HEAD = head();

  private final SessionId id;
  private final Blackboard board;

  SessionLedger(
      Blackboards blackboards, String tenant, String colony, SessionId id, String writer) {
    this.id = id;
    Scope scope = Scope.session(tenant, colony, id.value()).namespace(NAMESPACE);
    this.board = blackboards.open(scope, writer);
  }

  /** The session, made by {@code opening} if there is none. */
  CompletionStage<Session> open(Session opening) {
    return board.transaction(tx ->
        tx.read(SESSION)
            .thenCompose(found ->
                found.isPresent()
                    ? CompletableFuture.completedStage(session(found.get()))
                    : tx.write(Write.of(SESSION, WireJson.write(opening)))
                        .thenApply(done -> opening)));
  }

  /** The session after a change, empty if there is none; an equal one is not written. */
  CompletionStage<Optional<Session>> change(UnaryOperator<Session> change) {
    return board.transaction(tx ->
        tx.read(SESSION)
            .thenCompose(found -> {
              Optional<Session> before = found.map(SessionLedger::session);
              Optional<Session> after = before.map(change);
              return before.equals(after)
                  ? CompletableFuture.completedStage(after)
                  : tx.write(Write.of(SESSION, WireJson.write(after.get())))
                      .thenApply(done -> after);
            }));
  }

  CompletionStage<Optional<Session>> read() {
    return board
        .readAll(HEAD)
        .thenApply(entries -> {
          SessionTotals totals =
              entries.stream()
                  .filter(entry -> entry.key().startsWith(SUM))
                  .map(entry -> WireJson.read(entry.value(), SessionTotals.class))
                  .reduce(SessionTotals.NONE, SessionTotals::plus);
          return entries.stream()
              .filter(entry -> entry.key().equals(SESSION))
              .findFirst()
              .map(entry -> session(entry).totals(totals));
        });
  }

  CompletionStage<Sessions.Page<SessionRun>> runs(
      Optional<SessionRun.Status> status, int limit, Optional<String> after) {
    Query all = Query.keys("run:*").limit(limit);
    Query some = status.map(only -> all.allTags(only.tag())).orElse(all);
    Query rest = after.map(key -> some.from(new Query.Cursor(key))).orElse(some);
    return board
        .query(rest)
        .thenApply(page ->
            new Sessions.Page<>(
                page.entries().stream()
                    .map(entry -> WireJson.read(entry.value(), SessionRun.class))
                    .toList(),
                page.next().map(Query.Cursor::afterKey)));
  }

  /**
   * Why the run is refused, empty if it is admitted now or was before. One that its agent never
   * accepted is admitted anew, and still counts once.
   */
  CompletionStage<Optional<String>> admit(AgentId agent, RunRequest request) {
    String key = runKey(agent, request);
    String sum = sumKey(key);
    return board.transaction(tx ->
        tx.readAll(List.of(SESSION, key, sum))
            .thenCompose(found -> {
              Optional<SessionRun> before = value(found, key, SessionRun.class);
              boolean again = before.filter(SessionRun::refused).isPresent();
              boolean stays = before.isPresent() && !again;
              Optional<String> refusal =
                  stays ? Optional.empty() : refusal(id, value(found, SESSION, Session.class));
              if (stays || refusal.isPresent()) {
                return CompletableFuture.completedStage(refusal);
              }
              UnaryOperator<SessionTotals> count =
                  again ? SessionTotals::readmitted : SessionTotals::admitted;
              return put(tx, key, SessionRun.admitted(agent, request), Optional.empty())
                  .thenCompose(done -> add(tx, sum, found, count))
                  .thenApply(done -> refusal);
            }));
  }

  /**
   * Counts the end of a run, the first one that is reported; that of a run takes the place of a
   * refusal.
   *
   * @param joined whether the run took up this session on its way; one that asked for it and was
   *     not admitted does not count
   * @param keep how long the run stays in the list
   */
  CompletionStage<Void> ended(
      AgentId agent, RunRequest request, AgentRun run, boolean joined, Instant at, Duration keep) {
    String key = runKey(agent, request);
    String sum = sumKey(key);
    return board.transaction(tx ->
        tx.readAll(List.of(key, sum))
            .thenCompose(found -> {
              Optional<SessionRun> before = value(found, key, SessionRun.class);
              boolean again = !run.refused() && before.filter(SessionRun::refused).isPresent();
              boolean counts =
                  before
                      .map(one -> again || one.status() == SessionRun.Status.RUNNING)
                      .orElse(joined);
              if (!counts) {
                return CompletableFuture.completedStage(null);
              }
              SessionRun admitted = before.orElseGet(() -> SessionRun.admitted(agent, request));
              UnaryOperator<SessionTotals> count =
                  totals ->
                      (again
                              ? totals.readmitted()
                              : before.isPresent() ? totals : totals.admitted())
                          .ended(run);
              return put(tx, key, admitted.ended(run, at), Optional.of(keep))
                  .thenCompose(done -> add(tx, sum, found, count));
            }));
  }

  /**
   * Removes the session and its sums if nothing has happened in it since a time and no run is under
   * way; true also where there was none. A run that is admitted meanwhile keeps it. Runs that have
   * ended go by themselves.
   */
  CompletionStage<Boolean> remove(Instant before) {
    Query running = Query.keys("run:*").allTags(SessionRun.Status.RUNNING.tag()).limit(1);
    return board
        .query(running)
        .thenCompose(page ->
            page.entries().isEmpty()
                ? board.transaction(tx -> remove(tx, before))
                : CompletableFuture.completedStage(false));
  }

  /** What admits or ends a run writes one of these, too. */
  private static CompletionStage<Boolean> remove(Transaction tx, Instant before) {
    return tx.readAll(HEAD)
        .thenCompose(entries -> {
          if (entries.stream().anyMatch(entry -> !entry.updatedAt().isBefore(before))) {
            return CompletableFuture.completedStage(false);
          }
          return CompletableFuture.allOf(
                  entries.stream()
                      .map(entry -> tx.delete(entry.key()).toCompletableFuture())
                      .toArray(CompletableFuture[]::new))
              .thenApply(done -> true);
        });
  }

  /** Why the session takes nothing more; empty if it is open. */
  CompletionStage<Optional<String>> refusal() {
    return read().thenApply(found -> refusal(id, found));
  }

  private static Optional<String> refusal(SessionId id, Optional<Session> session) {
    return session.isEmpty()
        ? Optional.of("there is no session " + id + ": open it first")
        : session
            .get()
            .closed()
            .map(closing -> "session " + id + " is closed: " + closing.reason());
  }

  private static CompletionStage<Void> put(
      Transaction tx, String key, SessionRun run, Optional<Duration> ttl) {
    Write write = Write.of(key, WireJson.write(run)).tags(run.status().tag());
    return tx.write(ttl.map(write::ttl).orElse(write));
  }

  private static CompletionStage<Void> add(
      Transaction tx, String sum, List<Entry> found, UnaryOperator<SessionTotals> count) {
    SessionTotals before = value(found, sum, SessionTotals.class).orElse(SessionTotals.NONE);
    return tx.write(Write.of(sum, WireJson.write(count.apply(before))));
  }

  private static <T> Optional<T> value(List<Entry> found, String key, Class<T> type) {
    return found.stream()
        .filter(entry -> entry.key().equals(key))
        .findFirst()
        .map(entry -> WireJson.read(entry.value(), type));
  }

  private static Session session(Entry entry) {
    return WireJson.read(entry.value(), Session.class);
  }

  private static String runKey(AgentId agent, RunRequest request) {
    return RUN.format(
        Map.of(
            "agent", agent.name(),
            "namespace", request.namespace(),
            "id", request.runId().value()));
  }

  private static String sumKey(String runKey) {
    return SUM + Math.floorMod(runKey.hashCode(), STRIPES);
  }

  private static List<String> head() {
    List<String> keys = new ArrayList<>(List.of(SESSION));
    IntStream.range(0, STRIPES).mapToObj(stripe -> SUM + stripe).forEach(keys::add);
    return List.copyOf(keys);
  }
}
