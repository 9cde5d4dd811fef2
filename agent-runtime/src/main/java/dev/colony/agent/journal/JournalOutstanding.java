package dev.colony.agent.journal;

import dev.colony.agent.OutstandingAgents;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.ClassicActorSystemProvider;

/** The journal's index as the waker asks for it: all slots at once. */
public final class JournalOutstanding implements OutstandingAgents {

  private final OutstandingIndex index;

  private JournalOutstanding(OutstandingIndex index) {
    this.index = index;
  }

  /** Over the journal of an actor system. */
  public static JournalOutstanding of(ClassicActorSystemProvider system) {
    return new JournalOutstanding(OutstandingIndex.of(system));
  }

  @Override
  public CompletionStage<Set<String>> outstanding() {
    List<CompletableFuture<Set<String>>> slots = new ArrayList<>();
    for (int slot = 0; slot < index.slots(); slot++) {
      slots.add(index.slot(slot).toCompletableFuture());
    }
    return CompletableFuture.allOf(slots.toArray(CompletableFuture[]::new))
        .thenApply(all -> {
          Set<String> union = new HashSet<>();
          slots.forEach(slot -> union.addAll(slot.join()));
          return union;
        });
  }
}
