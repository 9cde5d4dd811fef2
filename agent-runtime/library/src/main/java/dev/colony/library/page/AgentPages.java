package dev.colony.library.page;

import dev.colony.agent.AgentException;
import dev.colony.agent.author.Agent;
import dev.colony.library.page.PageCapability.Seen;
import dev.colony.library.page.PageCapability.Source;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.PageIndex;
import dev.colony.vcm.table.HolderLeases;
import dev.colony.vcm.table.HolderLeases.Outcome;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageEntry;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * The pages that an agent's capabilities work on: those of its group or of a page map, and those of
 * maps that it has mapped besides; with their index, which is built when it is first searched, and
 * what the page table says of them. Blocks; thread-safe.
 */
final class AgentPages {

  private static final int PASSAGE_LINES = 40;

  private final Supplier<Agent> owner;
  private final Source source;
  private final TreeSet<String> mapped = new TreeSet<>();
  private List<VirtualContextPage> pages;
  private PageIndex index;

  /**
   * @param owner whose pages they are; not asked before they are needed
   */
  AgentPages(Supplier<Agent> owner, Source source) {
    PageIndex.JAR.require("an agent that reads pages");
    this.owner = owner;
    this.source = source;
  }

  private Agent agent() {
    return owner.get();
  }

  /** The maps besides the source. */
  synchronized List<String> mapped() {
    return List.copyOf(mapped);
  }

  /** Has the pages of these maps besides the source's, and of no others. */
  synchronized void mapped(Collection<String> maps) {
    mapped.clear();
    mapped.addAll(maps);
    forget();
  }

  private void forget() {
    index = null;
    pages = null;
  }

  /** All of them, each once, in the order in which they are read best. */
  synchronized List<VirtualContextPage> all() {
    if (pages == null) {
      List<PageId> ids = ids();
      pages = asked(() -> agent().pages().pages(ids));
    }
    return pages;
  }

  private List<PageId> ids() {
    Set<PageId> ids = new LinkedHashSet<>();
    if (source.map().isPresent()) {
      ids.addAll(ids(SourceTrees.map(agent().pages(), source.map().get())));
    } else if (agent().blueprint().pages().isPresent()) {
      asked(() -> agent().pages().group(agent().blueprint().pages().get()))
          .ifPresent(group -> ids.addAll(group.pages()));
    } else if (mapped.isEmpty()) {
      throw AgentException.refused("this agent is bound to no group of pages: map some");
    }
    for (String map : mapped) {
      ids.addAll(ids(SourceTrees.map(agent().pages(), map)));
    }
    return List.copyOf(ids);
  }

  static List<PageId> ids(PageMap map) {
    return map.groups().stream().map(PageGroup::pages).flatMap(List::stream).toList();
  }

  /**
   * One of them.
   *
   * @throws AgentException if it is none of the agent's
   */
  VirtualContextPage page(PageId id) {
    return all().stream()
        .filter(one -> one.id().equals(id))
        .findFirst()
        .orElseThrow(() -> AgentException.refused("page " + id + " is none of this agent's"));
  }

  /**
   * Their ids, each once.
   *
   * @throws AgentException if one of them is none of the agent's
   */
  List<PageId> checked(List<String> given) {
    List<PageId> ids = new ArrayList<>();
    for (String one : new TreeSet<>(given)) {
      ids.add(page(id(one)).id());
    }
    return ids;
  }

  static PageId id(String given) {
    try {
      return new PageId(given);
    } catch (IllegalArgumentException bad) {
      throw AgentException.refused(bad.getMessage());
    }
  }

  synchronized PageIndex index() {
    if (index == null) {
      index = PageIndex.of(all(), 1, PASSAGE_LINES);
    }
    return index;
  }

  /** The page as planners see it. */
  Seen seen(VirtualContextPage page, PageTableSnapshot table) {
    PageState best = PageState.ABSENT;
    for (ReplicaResidency replica : table.replicas()) {
      PageState state = table.entry(replica.replica(), page.id(), now()).state();
      if (rank(state) > rank(best)) {
        best = state;
      }
    }
    return new Seen(
        page.id().value(),
        page.sizeTokens(),
        page.segments().stream().map(AgentPages::place).toList(),
        best == PageState.RESIDENT || best == PageState.EVICTING,
        best);
  }

  private static int rank(PageState state) {
    return switch (state) {
      case ABSENT -> 0;
      case LOADING -> 1;
      case EVICTING -> 2;
      case RESIDENT -> 3;
    };
  }

  /** How these pages stand in the replicas that have something of them. */
  List<PageEntry> entries(Collection<PageId> wanted) {
    PageTableSnapshot table = snapshot();
    Instant now = now();
    return table.ids().stream()
        .flatMap(replica -> wanted.stream().map(page -> table.entry(replica, page, now)))
        .filter(entry -> entry.state() != PageState.ABSENT)
        .toList();
  }

  Instant now() {
    return agent().blackboard().clock().instant();
  }

  private static String place(PageSegment segment) {
    return "%s:%d-%d".formatted(segment.file(), segment.firstLine(), segment.lastLine());
  }

  /** What the node knows of residency; nothing where it has no page table. */
  PageTableSnapshot snapshot() {
    return tableIfAny().map(PageTable::snapshot).orElse(PageTableSnapshot.EMPTY);
  }

  private Optional<PageTable> tableIfAny() {
    try {
      return Optional.of(agent().service(PageTable.class));
    } catch (AgentException noTable) {
      return Optional.empty();
    }
  }

  /**
   * The node's page table.
   *
   * @throws AgentException if it has none
   */
  PageTable table() {
    return agent().service(PageTable.class);
  }

  /** The name under which the agent locks and asks for pages. */
  String holder() {
    return agent().id().persistenceId();
  }

  static HolderLeases granted(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Granted granted -> granted.leases();
      case Outcome.Refused refused -> throw AgentException.refused(refused.reason());
    };
  }

  /**
   * What the page store or the page table gives.
   *
   * @throws AgentException if the call fails; to try again may help
   * @throws IllegalArgumentException if it is asked for what cannot be
   */
  static <T> T asked(Supplier<T> call) {
    try {
      return call.get();
    } catch (AgentException | IllegalArgumentException refused) {
      throw refused;
    } catch (RuntimeException failure) {
      throw new AgentException("pages: " + failure.getMessage(), failure, true);
    }
  }
}
