package dev.colony.blackboard.fault;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** One scope with callers, and with subscribers of all kinds. */
final class ScopeUnderLoad {

  private static final String END = "end";
  private static final int PAGE = 1_000;
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SLOWLY = Duration.ofMillis(2);

  private final Blackboard board;
  private final List<Caller> callers;
  private final Map<String, Follower> followers = new TreeMap<>();
  private final DurableReader durable;
  private final List<Future<?>> calling = new ArrayList<>();
  private Future<List<DurableReader.Life>> reading;

  /**
   * @param company whether the durable subscriber has others beside it; alone, each of its lives
   *     has the pushes begin and end
   */
  ScopeUnderLoad(Blackboards blackboards, Scope scope, int callers, boolean company, long seed) {
    this.board = blackboards.open(scope, "reader");
    this.callers = new ArrayList<>();
    for (int c = 0; c < callers; c++) {
      this.callers.add(new Caller(blackboards, scope, "c" + c, seed + c));
    }
    this.durable = new DurableReader(board, END, seed - 1);
    if (company) {
      followers.put("plain", Follower.quick());
      followers.put("slow", Follower.slow(SLOWLY));
    }
  }

  Scope scope() {
    return board.scope();
  }

  List<Caller> callers() {
    return callers;
  }

  /** Begins, and returns when the subscribers are there. */
  void start(ExecutorService threads, int callsEach) {
    followers.values().forEach(one -> one.to(board.subscribe("*", SubscribeFrom.now())));
    reading = threads.submit(durable::run);
    for (Caller caller : callers) {
      calling.add(
          threads.submit(() -> {
            caller.run(callsEach);
            return null;
          }));
    }
  }

  /**
   * Waits until all calls are answered and all subscribers have had all events.
   *
   * @return all that is known of the scope then
   */
  Account finish() throws Exception {
    for (Future<?> one : calling) {
      one.get(LONG.toSeconds(), TimeUnit.SECONDS);
    }
    await("brief entries expire").atMost(Fault.PATIENCE).until(this::briefAreGone);
    WriteResult last = now(board.write(Write.of(END, TextNode.valueOf("x"))));
    Position end = ((WriteResult.Written) last).position();
    followers.values().forEach(Follower::hurry);
    List<DurableReader.Life> lives = reading.get(LONG.toSeconds(), TimeUnit.SECONDS);
    for (Follower follower : followers.values()) {
      await("a subscriber has had all events")
          .atMost(Fault.PATIENCE)
          .until(() -> follower.has(end) || follower.end().isDone());
    }
    List<Call> calls = callers.stream().flatMap(caller -> caller.calls().stream()).toList();
    return new Account(board.scope(), calls, log(), entries(), followers, lives);
  }

  /** The event of each brief entry's end is stored. */
  private boolean briefAreGone() {
    Map<String, BlackboardEvent> last = new HashMap<>();
    log().forEach(event -> last.put(event.entryKey().orElse(""), event));
    return Caller.BRIEF_KEYS.stream()
        .map(last::get)
        .noneMatch(event -> event instanceof BlackboardEvent.Written);
  }

  private List<BlackboardEvent> log() {
    List<BlackboardEvent> log = new ArrayList<>();
    List<BlackboardEvent> page;
    do {
      Position after = log.isEmpty() ? Position.BEGINNING : log.getLast().position();
      page = now(board.history(EventFilter.all(), after, PAGE));
      log.addAll(page);
    } while (page.size() == PAGE);
    return log;
  }

  private List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    Optional<Query.Cursor> next = Optional.empty();
    do {
      EntryPage page = now(board.query(next.map(Query.all()::from).orElse(Query.all())));
      entries.addAll(page.entries());
      next = page.next();
    } while (next.isPresent());
    return entries;
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage
        .toCompletableFuture()
        .orTimeout(Fault.PATIENCE.toSeconds(), TimeUnit.SECONDS)
        .join();
  }
}
