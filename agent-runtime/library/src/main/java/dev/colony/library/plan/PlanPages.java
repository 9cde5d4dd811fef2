package dev.colony.library.plan;

import dev.colony.agent.AgentException;
import dev.colony.agent.author.Agent;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanWatch.PlanMemory;
import dev.colony.library.policy.PlanningContext;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageStore.PageFault;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the node knows of the pages that a plan's actions read. Page stores keep what was read
 * lately, so that asking again costs little. Blocks.
 */
record PlanPages(Agent agent, long cacheTokens) {

  /** Ids of the pages of all actions that are not settled. */
  static Set<String> workingSet(PlanState plan) {
    Set<String> pages = new LinkedHashSet<>();
    plan.items().filter(one -> !settled(one)).forEach(one -> pages.addAll(one.action().pages()));
    return pages;
  }

  private static boolean settled(PlanItem item) {
    return switch (item.status()) {
      case DONE, ACCEPTED, UNDONE, DROPPED -> true;
      case PENDING, OPEN, WAITING, FAILED -> false;
    };
  }

  /** Sizes and residency of these pages; of those that are not stored, nothing. */
  CacheContext.Pages known(Set<String> pages) {
    if (pages.isEmpty()) {
      return CacheContext.Pages.UNKNOWN;
    }
    Map<String, Integer> sizes = new HashMap<>();
    for (String page : pages) {
      sizes.put(page, size(new PageId(page)));
    }
    Set<String> resident = new HashSet<>();
    PageTableSnapshot table = table();
    for (String page : pages) {
      if (!table.replicasWith(new PageId(page)).isEmpty()) {
        resident.add(page);
      }
    }
    return new CacheContext.Pages(sizes, resident, cacheTokens, "");
  }

  /**
   * The context with the pages that the plan's actions read behind those of the agent's group, as
   * far as they fit: those that most actions read first. What a prompt of the run has shown keeps
   * its place in later ones, whatever the plan becomes, so that prompts begin alike.
   *
   * @param tokens that all pages together may take
   */
  PlanningContext shown(PlanningContext context, PlanState plan, PlanMemory memory, int tokens) {
    List<PlanAction> actions = plan.items().map(PlanItem::action).toList();
    Set<String> wanted = new LinkedHashSet<>(memory.shown());
    CacheContext.of(actions, CacheContext.Pages.UNKNOWN)
        .workingSet()
        .forEach(use -> wanted.add(use.page()));
    context.pages().forEach(page -> wanted.remove(page.value()));
    if (wanted.isEmpty()) {
      return context;
    }
    int left = tokens - context.pages().stream().mapToInt(this::size).sum();
    List<String> fitting = new ArrayList<>();
    for (String page : wanted) {
      int size = size(new PageId(page));
      if (size > 0 && size <= left) {
        fitting.add(page);
        left -= size;
      }
    }
    memory.shown(fitting);
    List<PageId> pages = new ArrayList<>(context.pages());
    fitting.forEach(page -> pages.add(new PageId(page)));
    return context.with(next -> next.pages = pages);
  }

  /**
   * Declares what the actions that are left read, where the agent has a capability for it; of a
   * plan that has ended, nothing.
   */
  void declare(PlanState plan, CacheContext.Pages known) throws InterruptedException {
    Optional<WorkingSetCapability> declaring = declaring();
    if (declaring.isPresent()) {
      List<PlanAction> left =
          plan.ending().isPresent()
              ? List.of()
              : plan.items().filter(one -> !settled(one)).map(PlanItem::action).toList();
      declaring.get().declare(CacheContext.of(CacheContext.ordered(left, known), known));
    }
  }

  /** Other agents that are going to read many of the same pages, a line each. */
  List<String> overlaps() throws InterruptedException {
    Optional<WorkingSetCapability> declaring = declaring();
    return declaring.isEmpty()
        ? List.of()
        : declaring.get().overlaps().stream()
            .map(one ->
                "The agent %s is going to read %d of the pages of your plan too, %.0f%% of them."
                    .formatted(one.agent(), one.pages().size(), 100 * one.share()))
            .toList();
  }

  private Optional<WorkingSetCapability> declaring() {
    return agent.capability(WorkingSetCapability.class);
  }

  private int size(PageId page) {
    try {
      return agent.pages().pages(List.of(page)).stream()
          .mapToInt(VirtualContextPage::sizeTokens)
          .sum();
    } catch (PageFault absent) {
      return 0;
    }
  }

  private PageTableSnapshot table() {
    try {
      return agent.service(PageTable.class).snapshot();
    } catch (AgentException noTable) {
      return PageTableSnapshot.EMPTY;
    }
  }
}
