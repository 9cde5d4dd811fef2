package dev.colony.library.pool;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.Agent;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import dev.colony.blackboard.value.Text;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of a pool, beside requests and results: {@code item:{position}} for each item that is
 * not done, in the order of their requests, tagged with its state and, while it is claimed, with
 * its worker; {@code bell}, which wakes the workers. Thread-safe; calls block until the blackboard
 * has answered.
 */
record PoolBoard(Agent agent, Blackboard board) {

  /** Written when there is something to claim. */
  static final String BELL = "bell";

  /** How long a result, its request and a dead item are kept. */
  static final Duration KEPT = Duration.ofDays(30);

  /** How long the result of a request is kept that was not admitted: its id is free then. */
  private static final Duration REFUSED = Duration.ofMinutes(1);

  static final WorkAssignmentProtocol PROTOCOL = new WorkAssignmentProtocol();

  private static final AgentRunProtocol RUNS = new AgentRunProtocol();
  private static final String ITEM = "item:";

  /** Items that a worker tries to claim, the oldest first, before it looks again. */
  private static final int CANDIDATES = 16;

  /** How often it looks while others are faster. */
  private static final int LOOKS = 8;

  private static final int PAGE = 500;

  /** Of an item's id: the run for it has a number behind it. */
  private static final int MOST_ID = 100;

  private static final Logger LOG = LoggerFactory.getLogger(PoolBoard.class);

  /** An item and its key. */
  record Held(String key, PoolItem item) {

    static Held of(Entry entry) {
      return new Held(entry.key(), entry.as(PoolItem.class));
    }
  }

  /** A caller's request, at its place. */
  record Asked(String key, Position position, JsonNode value) {

    /** Keys of one length sort as their positions do. */
    String item() {
      return ITEM
          + String.format(Locale.ROOT, "%015d-%015d", position.millis(), position.ordinal());
    }

    String id() {
      return PROTOCOL.requestId(key).orElseThrow();
    }
  }

  Instant now() {
    return board.clock().instant();
  }

  /** Of the namespace in which the runs for items stand, in each worker's scope. */
  String namespace() {
    return board.scope().namespace().orElseThrow();
  }

  /**
   * What became of requests.
   *
   * @param count how many were entered
   * @param full those for which there was no room
   */
  record Entered(int count, List<Asked> full) {}

  /**
   * Enters requests that have neither an item nor a result, in one operation.
   *
   * @param room how many at most
   */
  Entered enter(Collection<Asked> requests, int room, int attempts, Duration lease) {
    List<String> keys = new ArrayList<>();
    requests.forEach(one -> keys.addAll(List.of(one.item(), PROTOCOL.resultKey(one.id()))));
    return Await.result(
        board.transaction(tx ->
            tx.readAll(keys)
                .thenCompose(there -> {
                  Set<String> known = new HashSet<>();
                  there.forEach(entry -> known.add(entry.key()));
                  List<Asked> fresh =
                      requests.stream()
                          .filter(one -> !known.contains(one.item()))
                          .filter(one -> !known.contains(PROTOCOL.resultKey(one.id())))
                          .toList();
                  int count = Math.min(room, fresh.size());
                  CompletionStage<Void> written = CompletableFuture.completedStage(null);
                  for (Asked one : fresh.subList(0, count)) {
                    PoolItem item = PoolItem.queued(one.id(), one.key(), attempts, lease);
                    written = written.thenCompose(done -> tx.write(write(one.item(), item)));
                  }
                  return written.thenApply(
                      done -> new Entered(count, fresh.subList(count, fresh.size())));
                })));
  }

  /** Why a request can never be an item; empty where it can. */
  Optional<String> unfit(Asked request) {
    if (request.id().length() > MOST_ID) {
      return Optional.of(
          "the id of an item has at most %d characters, but this has %d"
              .formatted(MOST_ID, request.id().length()));
    }
    try {
      RunRequest.fromJson(request.value());
      return Optional.empty();
    } catch (RuntimeException malformed) {
      return Optional.of("it is no request: " + Text.message(malformed));
    }
  }

  /** Answers a request that is not admitted; in a minute its id may be used again. */
  void refuse(Asked request, String why) {
    AgentRun failed = AgentRun.failed(new RunId(request.id()), why, RunStats.NONE);
    Write answer = Write.of(PROTOCOL.resultKey(request.id()), failed.toJson());
    Await.result(board.write(answer.ttl(REFUSED).ifAbsent(), List.of(request.key())));
  }

  /** The items in a state, the oldest first. */
  List<Held> items(PoolItem.State state) {
    return items(tag(state));
  }

  /** The items that a worker has claimed, the oldest first. */
  List<Held> held(String worker) {
    return items(tag(worker)).stream()
        .filter(one -> one.item().worker().equals(Optional.of(worker)))
        .toList();
  }

  private List<Held> items(String tag) {
    Query query = Query.keys(ITEM + "*").allTags(tag).limit(PAGE);
    return Await.result(board.queryAll(query)).stream().map(Held::of).toList();
  }

  /** Whether an item is in a state. */
  boolean any(PoolItem.State state) {
    Query query = Query.keys(ITEM + "*").allTags(tag(state)).limit(1);
    return !Await.result(board.query(query)).entries().isEmpty();
  }

  /** Claims the oldest item that no other worker has; empty where there is none. */
  Optional<Held> claim(String worker) {
    Query query = Query.keys(ITEM + "*").allTags(tag(PoolItem.State.QUEUED)).limit(CANDIDATES);
    for (int look = 0; look < LOOKS; look++) {
      List<Entry> queued = Await.result(board.query(query)).entries();
      if (queued.isEmpty()) {
        return Optional.empty();
      }
      for (Entry entry : queued) {
        Optional<Held> claimed =
            change(entry.key(), item -> item.claim(worker, now()))
                .map(made -> new Held(entry.key(), made.item().orElseThrow()));
        if (claimed.isPresent()) {
          return claimed;
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Makes a move of an item, if it is one: the item and its result change in one operation, in
   * which the item is as the move saw it.
   *
   * @return what it led to; empty where the item is gone or the move is not to be made
   */
  Optional<PoolItem.Change> change(String key, Function<PoolItem, Optional<PoolItem.Change>> move) {
    record Moved(PoolItem from, PoolItem.Change to) {}
    Optional<Moved> moved =
        Await.result(
            board.transaction(tx ->
                tx.read(key, PoolItem.class)
                    .thenCompose(there -> {
                      Optional<Moved> made =
                          there.flatMap(item -> move.apply(item).map(to -> new Moved(item, to)));
                      return made.map(one -> make(tx, key, one.from(), one.to()))
                          .orElse(CompletableFuture.completedStage(null))
                          .thenApply(done -> made);
                    })));
    moved
        .filter(one -> one.to().result().isPresent())
        .ifPresent(one -> settled(key, one.from(), one.to()));
    return moved.map(Moved::to);
  }

  private CompletionStage<Void> make(
      Transaction tx, String key, PoolItem from, PoolItem.Change to) {
    CompletionStage<Void> changed =
        to.item().map(item -> tx.write(write(key, item))).orElseGet(() -> tx.delete(key));
    if (to.result().isEmpty()) {
      return changed;
    }
    String result = PROTOCOL.resultKey(from.id());
    Write once = Write.of(result, to.result().get().toJson()).ttl(KEPT);
    return changed
        .thenCompose(done -> tx.read(result))
        .thenCompose(
            there -> there.isPresent() ? CompletableFuture.completedStage(null) : tx.write(once));
  }

  /** The request goes when its result does; a crash before this leaves a request that stays. */
  private void settled(String key, PoolItem item, PoolItem.Change change) {
    if (change.dead()) {
      LOG.warn(
          "{} is dead, see {}: {}",
          board.scope().path(),
          key,
          change.result().flatMap(AgentRun::error).orElse(""));
    }
    Write mark = Write.value("settled", item.id()).ttl(KEPT);
    Await.result(board.write(mark, List.of(item.request())));
  }

  private static Write write(String key, PoolItem item) {
    Write write = Write.value(key, item);
    return switch (item.state()) {
      case QUEUED, RESTING -> write.tags(tag(item.state()));
      case CLAIMED -> write.tags(tag(item.state()), tag(item.worker().orElseThrow()));
      case DEAD -> write.tags(tag(item.state())).ttl(KEPT);
    };
  }

  private static String tag(PoolItem.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  /** A name may be as long as a tag. */
  private static String tag(String worker) {
    return "by:" + UUID.nameUUIDFromBytes(worker.getBytes(StandardCharsets.UTF_8));
  }

  void ring() {
    Await.result(board.write(Write.value(BELL, agent.id().name())));
  }

  /** What a claim's run came to; empty while it goes on, or if it was never asked for. */
  Optional<AgentRun> ended(PoolItem item) {
    AgentId self = agent.id();
    return item.worker()
        .flatMap(name ->
            Await.result(
                own(new AgentId(self.tenant(), self.colony(), name))
                    .read(RUNS.resultKey(item.run().value()))))
        .map(entry -> AgentRun.fromJson(entry.value()));
  }

  /** The caller's request; empty where it is gone. */
  Optional<RunRequest> request(PoolItem item) {
    return Await.result(board.read(item.request()))
        .map(entry -> RunRequest.fromJson(entry.value()));
  }

  /**
   * Asks the agent itself for runs, in this order and in one operation; for those that were asked
   * for before it is none.
   */
  void ask(List<RunRequest> runs) {
    Await.result(
        own(agent.id())
            .transaction(tx -> {
              CompletionStage<Void> asked = CompletableFuture.completedStage(null);
              for (RunRequest run : runs) {
                String key = RUNS.requestKey(agent.id().name(), run.runId().value());
                asked =
                    asked
                        .thenCompose(done -> tx.read(key))
                        .thenCompose(there ->
                            there.isPresent()
                                ? CompletableFuture.completedStage(null)
                                : tx.offer(
                                    Write.of(key, run.toJson()), agent.id().persistenceId()));
              }
              return asked;
            }));
  }

  /** A run of the agent's own without an input, outside any trace. */
  RunRequest run(RunId id, JsonNode input) {
    ExecutionContext context = ExecutionContext.of(agent.id(), id);
    return new RunRequest(context, namespace(), input, agent.id().persistenceId(), now());
  }

  private Blackboard own(AgentId of) {
    return agent.blackboard(of.scope().namespace(namespace()));
  }
}
