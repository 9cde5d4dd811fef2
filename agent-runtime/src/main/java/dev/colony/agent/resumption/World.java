package dev.colony.agent.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.suspension.Facts;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.vcm.PageId;
import dev.colony.vcm.work.InFlight;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Finds out what a condition speaks of. */
final class World {

  /** Agents that are asked for together: one that lives ends the asking. */
  private static final int AT_ONCE = 64;

  private final AgentDirectory directory;
  private final Predicate<PageId> resident;
  private final InstantSource clock;

  World(AgentDirectory directory, Predicate<PageId> resident, InstantSource clock) {
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
      implements Facts {

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

  CompletionStage<Facts> around(Entered entered, boolean room) {
    Set<AgentId> ended = new HashSet<>();
    CompletionStage<Void> looked = CompletableFuture.completedStage(null);
    for (ResumptionCondition.ChildrenCompleted children :
        entered.leaves(ResumptionCondition.ChildrenCompleted.class).toList()) {
      looked =
          looked.thenCompose(done -> look(InFlight.batches(children.agents(), AT_ONCE), 0, ended));
    }
    return looked.thenApply(
        done -> new Found(ended, resident, room, clock.instant(), entered.come()));
  }

  /** Adds those that have ended, up to the first that has not, about. */
  private CompletionStage<Void> look(List<List<AgentId>> batches, int at, Set<AgentId> ended) {
    if (at == batches.size()) {
      return CompletableFuture.completedStage(null);
    }
    List<AgentId> some = batches.get(at).stream().filter(one -> !ended.contains(one)).toList();
    return over(some)
        .thenCompose(over -> {
          ended.addAll(over);
          return over.size() == some.size()
              ? look(batches, at + 1, ended)
              : CompletableFuture.completedStage(null);
        });
  }

  private CompletionStage<Set<AgentId>> over(List<AgentId> agents) {
    Map<Colony, List<AgentId>> byColony =
        agents.stream()
            .collect(Collectors.groupingBy(one -> new Colony(one.tenant(), one.colony())));
    CompletionStage<Set<AgentId>> all = CompletableFuture.completedStage(new HashSet<>());
    for (Map.Entry<Colony, List<AgentId>> one : byColony.entrySet()) {
      Colony colony = one.getKey();
      all =
          all.thenCombine(
              over(colony, one.getValue()),
              (before, more) -> {
                before.addAll(more);
                return before;
              });
    }
    return all;
  }

  private record Colony(String tenant, String name) {}

  /** One that has made nothing known has ended only if there is none. */
  private CompletionStage<Set<AgentId>> over(Colony colony, List<AgentId> agents) {
    return directory
        .states(colony.tenant(), colony.name(), agents.stream().distinct().toList())
        .thenCompose(states -> {
          Set<AgentId> over = new HashSet<>();
          states.forEach((agent, status) -> {
            if (status.state().terminal()) {
              over.add(agent);
            }
          });
          if (over.size() < states.size()) {
            return CompletableFuture.completedStage(over);
          }
          List<AgentId> silent = agents.stream().filter(one -> !states.containsKey(one)).toList();
          return InFlight.map(silent, AT_ONCE, directory::find)
              .thenApply(found -> {
                for (int i = 0; i < silent.size(); i++) {
                  if (found.get(i).isEmpty()) {
                    over.add(silent.get(i));
                  }
                }
                return over;
              });
        });
  }
}
