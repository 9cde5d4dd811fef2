package dev.colony.blackboard.fault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.CommitResult;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Calls a scope with some calls under way at any time, and keeps what it was told of each. Which
 * calls it makes depends on its seed alone, but for the versions that it expects.
 */
final class Caller {

  static final List<String> KEYS = List.of("k0", "k1", "k2", "k3", "k4");
  static final List<String> BRIEF_KEYS = List.of("brief0", "brief1");
  static final String RECIPIENT = "someone";

  private static final int UNDER_WAY = 5;
  private static final int LONGEST_BRIEF_MILLIS = 150;

  private final Blackboards blackboards;
  private final Scope scope;
  private final String name;
  private final Random random;
  private final Semaphore allowed = new Semaphore(0);
  private final Semaphore room = new Semaphore(UNDER_WAY);
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();

  /** A failure that no outage excuses. */
  private volatile Throwable broken;

  /** The version that this caller last gave each key; right now and then. */
  private final Map<String, Long> versions = new HashMap<>();

  Caller(Blackboards blackboards, Scope scope, String name, long seed) {
    this.blackboards = blackboards;
    this.scope = scope;
    this.name = name;
    this.random = new Random(seed);
  }

  void allow(int calls) {
    allowed.release(calls);
  }

  List<Call> calls() {
    return List.copyOf(calls);
  }

  int done() {
    return calls.size();
  }

  /** Makes so many calls, as they are allowed, and waits for them all. */
  void run(int total) throws InterruptedException {
    for (int n = 0; n < total; n++) {
      acquire(allowed, 1);
      acquire(room, 1);
      call(name + "-" + n)
          .whenComplete((call, failure) -> {
            if (failure == null) {
              calls.add(call);
            } else {
              broken = failure;
            }
            room.release();
          });
    }
    acquire(room, UNDER_WAY);
    if (broken != null) {
      throw new AssertionError("a call failed for good", broken);
    }
  }

  private static void acquire(Semaphore semaphore, int permits) throws InterruptedException {
    if (!semaphore.tryAcquire(permits, 2 * Fault.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("calls are neither answered nor failed");
    }
  }

  private CompletionStage<Call> call(String id) {
    Blackboard board = blackboards.open(scope, id);
    String key = pick(KEYS);
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5 -> write(board, id, Write.of(key, value(id, Map.of())));
      case 6, 7 -> {
        Write write = Write.of(key, value(id, Map.of())).tags("odd");
        yield write(board, id, write.expectVersion(version(key)));
      }
      case 8, 9 -> {
        Duration ttl = Duration.ofMillis(1 + random.nextInt(LONGEST_BRIEF_MILLIS));
        yield write(board, id, Write.of(pick(BRIEF_KEYS), value(id, Map.of())).ttl(ttl));
      }
      case 10, 11 -> writeAll(board, id);
      case 12, 13 -> delete(board, id, key);
      case 14, 15, 16 -> transaction(board, id, key, pick(KEYS));
      default -> send(board, id, Write.of(key, value(id, Map.of())));
    };
  }

  private String pick(List<String> keys) {
    return keys.get(random.nextInt(keys.size()));
  }

  private synchronized long version(String key) {
    return versions.getOrDefault(key, 0L);
  }

  private synchronized void know(String key, long version) {
    versions.put(key, version);
  }

  /** Names its call, and says where a transaction found what it read. */
  private static JsonNode value(String id, Map<String, Position> read) {
    ObjectNode value = JsonNodeFactory.instance.objectNode().put("by", id);
    ObjectNode found = value.putObject("read");
    read.forEach((key, position) -> found.put(key, position.toString()));
    return value;
  }

  private CompletionStage<Call> write(Blackboard board, String id, Write write) {
    return answered(id, asked(List.of(write)), false, board.write(write).thenApply(told(write)));
  }

  private CompletionStage<Call> send(Blackboard board, String id, Write write) {
    CompletionStage<WriteResult> sent = board.send(write, RECIPIENT);
    return answered(id, asked(List.of(write)), true, sent.thenApply(told(write)));
  }

  private Function<WriteResult, Call.Answer> told(Write write) {
    return result ->
        switch (result) {
          case WriteResult.Written written -> {
            know(write.key(), written.version());
            yield new Call.Done(Map.of(write.key(), written.position()));
          }
          case WriteResult.VersionConflict conflict -> {
            know(write.key(), conflict.actualVersion());
            yield new Call.Nothing();
          }
        };
  }

  private CompletionStage<Call> writeAll(Blackboard board, String id) {
    List<Write> writes =
        KEYS.stream()
            .filter(key -> random.nextBoolean())
            .map(key -> Write.of(key, value(id, Map.of())))
            .toList();
    return answered(
        id,
        asked(writes),
        false,
        board
            .writeAll(writes)
            .thenApply(result ->
                switch (result) {
                  case CommitResult.Committed committed -> {
                    Map<String, Position> at = new HashMap<>();
                    for (int i = 0; i < writes.size(); i++) {
                      at.put(writes.get(i).key(), committed.written().get(i).position());
                    }
                    yield new Call.Done(at);
                  }
                  case CommitResult.Conflict conflict -> new Call.Nothing();
                }));
  }

  private CompletionStage<Call> delete(Blackboard board, String id, String key) {
    Map<String, Optional<JsonNode>> asked = Map.of(key, Optional.empty());
    return answered(
        id,
        asked,
        false,
        board.delete(key).thenApply(there -> there ? new Call.Done(Map.of()) : new Call.Nothing()));
  }

  /** Reads two keys and writes, to the first, where it found them. */
  private CompletionStage<Call> transaction(Blackboard board, String id, String key, String other) {
    // Of the last run of the body, which is the one that counts.
    Map<String, Optional<JsonNode>> asked = new ConcurrentHashMap<>();
    CompletionStage<Call.Answer> answer =
        board
            .transaction(tx ->
                tx.readAll(List.of(key, other))
                    .thenCompose(found -> {
                      Map<String, Position> read = new TreeMap<>();
                      read.put(key, Position.BEGINNING);
                      read.put(other, Position.BEGINNING);
                      found.forEach(entry -> read.put(entry.key(), entry.position()));
                      Write write = Write.of(key, value(id, read));
                      asked.put(key, Optional.of(write.value()));
                      return tx.write(write);
                    }))
            .thenApply(done -> new Call.Done(Map.of()));
    return answered(id, asked, false, answer);
  }

  private static Map<String, Optional<JsonNode>> asked(List<Write> writes) {
    Map<String, Optional<JsonNode>> asked = new HashMap<>();
    writes.forEach(write -> asked.put(write.key(), Optional.of(write.value())));
    return asked;
  }

  private static CompletionStage<Call> answered(
      String id,
      Map<String, Optional<JsonNode>> asked,
      boolean request,
      CompletionStage<Call.Answer> answer) {
    return answer
        .exceptionally(Caller::failed)
        .thenApply(told -> new Call(id, Map.copyOf(asked), request, told));
  }

  private static Call.Answer failed(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof BlackboardException known && known.retryable()) {
      return known.reason() == Reason.CONCURRENT_MODIFICATION
          ? new Call.Nothing()
          : new Call.Unknown(known.reason().name());
    }
    throw new CompletionException(cause);
  }
}
