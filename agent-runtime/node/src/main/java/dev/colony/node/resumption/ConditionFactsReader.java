package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.suspension.ConditionFacts;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.vcm.PageId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Finds out what a condition speaks of. */
final class ConditionFactsReader {

  private final AgentDirectory directory;
  private final Predicate<PageId> resident;
  private final InstantSource clock;

  ConditionFactsReader(AgentDirectory directory, Predicate<PageId> resident, InstantSource clock) {
    this.directory = directory;
    this.resident = resident;
    this.clock = clock;
  }

  /** What was found out for one condition. */
  private record Found(
      Set<AgentId> over,
      Predicate<PageId> pages,
      boolean room,
      Instant now,
      Set<ResumptionCondition> past)
      implements ConditionFacts {

    @Override
    public boolean ended(AgentId agent) {
      return over.contains(agent);
    }

    @Override
    public boolean resident(PageId page) {
      return pages.test(page);
    }

    @Override
    public boolean come(ResumptionCondition leaf) {
      return past.contains(leaf);
    }
  }

  Instant now() {
    return clock.instant();
  }

  CompletionStage<ConditionFacts> around(WaitIndexEntry entered, boolean room) {
    Set<AgentId> ended = new HashSet<>();
    CompletionStage<Void> looked = CompletableFuture.completedStage(null);
    for (ResumptionCondition.ChildrenCompleted children :
        entered.leaves(ResumptionCondition.ChildrenCompleted.class).toList()) {
      looked =
          looked.thenCompose(
              done -> directory.allEnded(children.agents(), ended).thenAccept(all -> {}));
    }
    return looked.thenApply(
        done -> new Found(ended, resident, room, clock.instant(), entered.come()));
  }
}
