package dev.colony.node.admission;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.core.capacity.Cascade.WaitingAgent;
import dev.colony.core.capacity.Preemption.Aging;
import dev.colony.core.capacity.SlotScheduler.Candidate;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.ClusterView;
import dev.colony.vcm.table.ClusterView.ClusterLayout;
import dev.colony.vcm.table.GroupAssignment;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Reads who waits durably for capacity, and all that decides where they may run: the first few of
 * each tenant, in time proportional to what is read. Thread-safe; no call blocks.
 */
final class CandidateReader {

  private final CapacityQueue queue;
  private final WaitingScan scan;
  private final AgentDirectory directory;
  private final ClusterLayout layout;
  private final Supplier<PageTableSnapshot> table;
  private final Aging aging;

  CandidateReader(
      CapacityQueue queue,
      AgentDirectory directory,
      ClusterLayout layout,
      Supplier<PageTableSnapshot> table,
      Aging aging) {
    this.queue = queue;
    this.scan = new WaitingScan(queue);
    this.directory = directory;
    this.layout = layout;
    this.table = table;
    this.aging = aging;
  }

  /**
   * The first of each tenant.
   *
   * @param most how many of all together, about
   * @param now whether one is to be looked at now
   */
  CompletionStage<List<Candidate>> first(int most, Predicate<CapacityQueue.Waiting> now) {
    CompletionStage<ClusterView> view = layout.view();
    return queue
        .tenants(most, Optional.empty())
        .thenCompose(tenants ->
            all(
                tenants.stream()
                    .map(tenant -> scan.first(tenant, Math.max(1, most / tenants.size()), now))
                    .toList()))
        .thenCombine(view, (lists, where) -> lists.stream().map(list -> candidates(list, where)))
        .thenCompose(lists -> all(lists.toList()))
        .thenApply(lists -> lists.stream().flatMap(List::stream).toList());
  }

  private CompletionStage<List<Candidate>> candidates(
      List<CapacityQueue.Waiting> waiting, ClusterView where) {
    return all(waiting.stream()
            .map(one ->
                directory
                    .find(one.agent())
                    .thenApply(known -> known.map(entry -> candidate(one, entry, where))))
            .toList())
        .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
  }

  private Candidate candidate(
      CapacityQueue.Waiting waiting, DirectoryEntry entry, ClusterView where) {
    int priority = entry.blueprint().resources().priority();
    Instant since = Instant.ofEpochMilli(waiting.rank()).plus(aging.headStart(priority));
    SlotRequest request = SlotRequest.of(waiting.agent(), entry.blueprint(), since);
    List<PageId> pages =
        entry
            .blueprint()
            .pages()
            .flatMap(group ->
                table.get().groups(entry.unit()).stream()
                    .filter(assigned -> assigned.group().equals(group))
                    .findFirst())
            .map(GroupAssignment::pages)
            .map(List::copyOf)
            .orElse(List.of());
    WaitingAgent agent =
        new WaitingAgent(
            request,
            Optional.ofNullable(where.units().get(entry.unit())),
            resident(pages, where),
            pages.size(),
            movable(entry.blueprint()));
    return new Candidate(agent, waiting.suspension());
  }

  /** One that is drawn to its pages, and not bound to them, would go back there at once. */
  private static boolean movable(AgentBlueprint blueprint) {
    return blueprint.pages().isEmpty() || blueprint.kind() == AgentKind.VCM_BOUND;
  }

  private Map<NodeAddress, Integer> resident(List<PageId> pages, ClusterView where) {
    PageTableSnapshot now = table.get();
    Map<NodeAddress, Integer> resident = new HashMap<>();
    for (NodeAddress node : where.nodes()) {
      resident.put(node, (int) pages.stream().filter(page -> now.resident(page, node)).count());
    }
    return resident;
  }

  private static <T> CompletionStage<List<T>> all(List<? extends CompletionStage<T>> stages) {
    List<CompletableFuture<T>> futures =
        stages.stream().map(CompletionStage::toCompletableFuture).toList();
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
        .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
  }

  /**
   * Reads of those who wait for capacity the first that may go on now. However many stand before
   * them that may not, they are found: a look reads a bounded part of the queue, and where that
   * holds too few, the next look of the tenant goes on behind it, until the end; then from the
   * front again. Thread-safe.
   */
  static final class WaitingScan {

    /** How many are read at once, at least, and how many times in one look at most. */
    static final int PAGE = 64;

    static final int PAGES = 8;

    private final CapacityQueue queue;
    private final Map<String, CapacityQueue.Waiting> readTo = new ConcurrentHashMap<>();

    WaitingScan(CapacityQueue queue) {
      this.queue = queue;
    }

    /**
     * The first of a tenant, in their order.
     *
     * @param limit at least 1; fewer come where this look finds no more
     * @param now whether one may go on
     */
    CompletionStage<List<CapacityQueue.Waiting>> first(
        String tenant, int limit, Predicate<CapacityQueue.Waiting> now) {
      return more(tenant, limit, now, Optional.ofNullable(readTo.remove(tenant)), List.of(), PAGES);
    }

    private CompletionStage<List<CapacityQueue.Waiting>> more(
        String tenant,
        int limit,
        Predicate<CapacityQueue.Waiting> now,
        Optional<CapacityQueue.Waiting> after,
        List<CapacityQueue.Waiting> found,
        int pages) {
      int size = Math.max(limit, PAGE);
      return queue
          .waiting(tenant, size, after)
          .thenCompose(page -> {
            List<CapacityQueue.Waiting> all = new ArrayList<>(found);
            page.stream().filter(now).forEach(all::add);
            if (page.size() < size || all.size() >= limit) {
              return CompletableFuture.completedStage(
                  List.copyOf(all.subList(0, Math.min(limit, all.size()))));
            }
            if (pages == 1) {
              readTo.put(tenant, page.getLast());
              return CompletableFuture.completedStage(List.copyOf(all));
            }
            return more(tenant, limit, now, Optional.of(page.getLast()), all, pages - 1);
          });
    }
  }
}
