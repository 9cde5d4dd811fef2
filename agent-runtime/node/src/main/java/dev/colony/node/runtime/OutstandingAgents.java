package dev.colony.node.runtime;

import dev.colony.journal.OutstandingIndex;
import dev.colony.journal.pekko.JournalExtension;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.apache.pekko.actor.typed.ActorSystem;

/** The index of agents that have accepted a run and not published its result. */
@FunctionalInterface
public interface OutstandingAgents {

  /** Their persistence ids; may hold one that has just finished, never misses one. */
  CompletionStage<Set<String>> outstanding();

  /** The index that the Redis journal keeps with the events, all of its slots read at once. */
  static OutstandingAgents journaled(ActorSystem<?> system) {
    OutstandingIndex index = JournalExtension.journal(system).outstanding();
    CompletionStage<Set<String>> none = CompletableFuture.completedStage(Set.of());
    return () ->
        IntStream.range(0, index.slots())
            .mapToObj(index::slot)
            .reduce(none, (all, slot) -> all.thenCombine(slot, OutstandingAgents::union));
  }

  private static Set<String> union(Set<String> one, Set<String> other) {
    if (other.isEmpty()) {
      return one;
    }
    Set<String> both = new HashSet<>(one);
    both.addAll(other);
    return both;
  }
}
