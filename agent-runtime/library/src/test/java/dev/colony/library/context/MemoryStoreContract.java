package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.library.context.Memory.Note;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a store of memories does on any backend. */
abstract class MemoryStoreContract {

  private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

  /** A scope of its own for each test. */
  abstract Blackboard board();

  private static Note note(String id, String... tags) {
    return new Note(id, "note", "text of " + id, Set.of(tags), 0.5);
  }

  @Test
  void memoriesAreNumberedAndFoundByTags() {
    MemoryStore store = new MemoryStore(board());
    store.store(note("z", "red"), "z", AT);
    store.store(note("a", "red", "round"), "a", AT);
    store.store(note("m", "round"), "m", AT);
    assertThat(store.all(Set.of())).extracting(Memory::turn).containsExactly(1L, 2L, 3L);
    assertThat(store.all(Set.of("red"))).extracting(Memory::id).containsExactly("z", "a");
    assertThat(store.all(Set.of("red", "round"))).extracting(Memory::id).containsExactly("a");
    assertThat(store.read("a")).contains(store.all(Set.of("red")).getLast());
    assertThat(store.read("nobody")).isEmpty();
  }

  @Test
  void concurrentNotesLoseNoTurn() {
    MemoryStore store = new MemoryStore(board());
    List<Memory> stored =
        IntStream.range(0, 40)
            .parallel()
            .mapToObj(i -> store.store(note("m" + i % 20), "text", AT))
            .toList();
    assertThat(stored.stream().map(Memory::turn).distinct()).hasSize(20);
    assertThat(store.all(Set.of()).getLast().turn()).isEqualTo(20);
  }

  @Test
  void morePagesThanOneAreRead() {
    MemoryStore store = new MemoryStore(board());
    IntStream.range(0, 1100).forEach(i -> store.store(note("m" + i), "text", AT));
    assertThat(store.all(Set.of())).hasSize(1100).extracting(Memory::turn).isSorted();
    assertThat(store.count()).isBetween(1100L, 1101L);
  }

  @Test
  void whatWasForgottenDoesNotComeBackByBeingInMind() {
    MemoryStore store = new MemoryStore(board());
    Memory kept = store.store(note("kept"), "kept", AT);
    Memory gone = store.store(note("gone"), "gone", AT);
    store.forget("gone");
    store.access(List.of(kept, gone), AT.plusSeconds(60));
    assertThat(store.all(Set.of())).containsExactly(kept.accessed(AT.plusSeconds(60)));
    store.access(List.of(), AT);
  }
}
