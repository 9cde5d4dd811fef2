package dev.colony.node.runtime;

import dev.colony.journal.OutstandingIndex;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.node.OutstandingAgents;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.apache.pekko.actor.typed.ActorSystem;

/** The index that the Redis journal keeps with the events, all of its slots read at once. */
public final class JournaledOutstanding implements OutstandingAgents {

  private final OutstandingIndex index;

  public JournaledOutstanding(ActorSystem<?> system) {
    this.index = JournalExtension.journal(system).outstanding();
  }

  @Override
  public CompletionStage<Set<String>> outstanding() {
    CompletionStage<Set<String>> none = CompletableFuture.completedStage(Set.of());
    return IntStream.range(0, index.slots())
        .mapToObj(index::slot)
        .reduce(none, (all, slot) -> all.thenCombine(slot, JournaledOutstanding::union));
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
