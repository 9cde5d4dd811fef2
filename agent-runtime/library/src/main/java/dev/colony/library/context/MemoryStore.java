package dev.colony.library.context;

import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.library.context.Memory.Note;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The memories of one agent: {@code memory:{id}} each, and {@code turn}, the number of the last.
 * Thread-safe; calls block until the blackboard has answered.
 */
final class MemoryStore {

  private static final String PREFIX = "memory:";
  private static final String TURN = "turn";
  private static final int PAGE = 500;

  private final Blackboard board;

  MemoryStore(Blackboard board) {
    this.board = board;
  }

  /** Stores a note, once for each id; the memory that is there from now on. */
  Memory store(Note note, String text, Instant now) {
    return Await.result(board.transaction(tx -> storing(tx, note, text, now)));
  }

  private static CompletionStage<Memory> storing(
      Transaction tx, Note note, String text, Instant now) {
    String key = PREFIX + note.id();
    return tx.read(key, Memory.class)
        .thenCompose(known ->
            known.isPresent()
                ? CompletableFuture.completedStage(known.get())
                : tx.read(TURN, Long.class)
                    .thenCompose(last -> {
                      long turn = last.orElse(0L) + 1;
                      Memory memory =
                          new Memory(
                              note.id(),
                              turn,
                              now,
                              now,
                              note.kind(),
                              text,
                              List.copyOf(note.tags()),
                              note.importance());
                      return tx.write(TURN, turn)
                          .thenCompose(counted -> tx.write(write(memory)))
                          .thenApply(written -> memory);
                    }));
  }

  private static Write write(Memory memory) {
    return Write.of(PREFIX + memory.id(), ValueMapper.write(PREFIX + memory.id(), memory))
        .tags(memory.tags().toArray(String[]::new));
  }

  Optional<Memory> read(String id) {
    return Await.result(board.read(PREFIX + id)).map(MemoryStore::memory);
  }

  /** Whether it was there. */
  boolean forget(String id) {
    return Await.result(board.delete(PREFIX + id));
  }

  /**
   * Puts one memory in the place of several, in one operation.
   *
   * @return false, and nothing has changed, if one of those is not as it was seen any more
   */
  boolean replace(Consolidation.Step step) {
    return Await.result(board.transaction(tx -> replacing(tx, step)));
  }

  private static CompletionStage<Boolean> replacing(Transaction tx, Consolidation.Step step) {
    Map<String, Memory> seen =
        step.replaced().stream()
            .collect(Collectors.toMap(one -> PREFIX + one.id(), Function.identity()));
    return tx.readAll(seen.keySet())
        .thenCompose(entries -> {
          if (entries.size() < seen.size() || !entries.stream().allMatch(unchanged(seen))) {
            return CompletableFuture.completedStage(false);
          }
          CompletionStage<Void> done = tx.write(write(step.result()));
          for (Memory one : step.replaced()) {
            if (!one.id().equals(step.result().id())) {
              done = done.thenCompose(next -> tx.delete(PREFIX + one.id()));
            }
          }
          return done.thenApply(next -> true);
        });
  }

  /** How many there are, or one more. */
  long count() {
    return Await.result(board.statistics()).entries();
  }

  /** All that carry every one of the tags, the oldest first. */
  List<Memory> all(Set<String> tags) {
    return entries(tags).stream()
        .map(MemoryStore::memory)
        .sorted(Comparator.comparingLong(Memory::turn))
        .toList();
  }

  private List<Entry> entries(Set<String> tags) {
    Query query = Query.keys(PREFIX + "*").allTags(tags.toArray(String[]::new)).limit(PAGE);
    return Await.result(board.queryAll(query));
  }

  /**
   * Notes that memories have come to mind. One that was forgotten or stored again meanwhile stays
   * as it is.
   */
  void access(List<Memory> memories, Instant now) {
    Map<String, Memory> byKey =
        memories.stream().collect(Collectors.toMap(one -> PREFIX + one.id(), Function.identity()));
    List<Write> writes =
        Await.result(board.readAll(byKey.keySet())).stream()
            .filter(unchanged(byKey))
            .map(
                entry -> write(byKey.get(entry.key()).accessed(now)).expectVersion(entry.version()))
            .toList();
    // A conflict means that another agent has written the same meanwhile: that will do.
    Await.result(board.writeAll(writes));
  }

  private static Predicate<Entry> unchanged(Map<String, Memory> byKey) {
    return entry -> memory(entry).equals(byKey.get(entry.key()));
  }

  private static Memory memory(Entry entry) {
    return entry.as(Memory.class);
  }
}
