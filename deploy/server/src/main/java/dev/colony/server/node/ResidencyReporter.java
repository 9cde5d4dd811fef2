package dev.colony.server.node;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ResidentPages;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.PageUseTracker;
import dev.colony.vcm.table.ReplicaId;
import java.net.URI;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enters what a replica holds into the page table. To the table the replica lives as long as its
 * node does: reports are numbered here, whatever lives the server behind them has had.
 */
final class ResidencyReporter {

  private final ReplicaId replica;
  private final NodeAddress node;
  private final URI baseUri;
  private final PageTable table;
  private final long incarnation;
  private long version;
  private Map<PageId, Integer> last = Map.of();
  private boolean estimated;
  private boolean observed;
  private boolean withdrawn;

  /**
   * @param incarnation greater than that of any reporter of the replica before this one: what time
   *     the cluster has, in milliseconds
   */
  ResidencyReporter(Replica replica, PageTable table, long incarnation) {
    this.replica = new ReplicaId(replica.id());
    this.node = new NodeAddress(replica.node());
    this.baseUri = replica.baseUri();
    this.table = table;
    this.incarnation = incarnation;
  }

  /**
   * Makes the replica known before it has said anything, and takes out what other nodes that had
   * this one's address have left behind.
   */
  void introduce() {
    table.snapshot().replicas().stream()
        .filter(other -> other.node().equals(node) && !other.replica().equals(replica))
        .forEach(stale -> table.withdraw(stale.replica()));
    report(Map.of());
  }

  /** The replica has said which pages it holds, by their ids, with their tokens. */
  synchronized void resident(Map<String, Integer> pages) {
    Map<PageId, Integer> held = new HashMap<>();
    pages.forEach((page, tokens) -> held.put(new PageId(page), tokens));
    report(held);
  }

  /** The same as it is guessed. It counts for nothing where the replica publishes events. */
  synchronized void estimated(Map<String, Integer> pages) {
    estimated = true;
    resident(observed ? Map.of() : pages);
  }

  /**
   * A replica publishes events of its cache: what they tell is entered beside this, and where it is
   * this one, what was estimated of it counts no more.
   */
  synchronized void observed(ReplicaId heard) {
    if (heard.equals(replica) && !observed) {
      observed = true;
      if (estimated) {
        report(Map.of());
      }
    }
  }

  /** Enters the replica again that another node took for gone. */
  synchronized void changed(ResidencyChange change) {
    if (change.node().equals(node) && table.snapshot().replica(replica).isEmpty()) {
      report(last);
    }
  }

  /** Takes the replica out of the table for good; done when that is stored. */
  synchronized CompletionStage<Void> withdraw() {
    if (withdrawn) {
      return CompletableFuture.completedStage(null);
    }
    withdrawn = true;
    return table.withdraw(replica);
  }

  private synchronized void report(Map<PageId, Integer> pages) {
    if (!withdrawn) {
      last = pages;
      table.report(new ReplicaResidency(replica, node, baseUri, incarnation, ++version, pages));
    }
  }

  /**
   * Enters into the page table what this node's gateway knows of the caches of replicas that
   * publish events of them, listed servers and nodes' own ones. What one of this node publishes
   * takes the place of what was estimated of it. Thread-safe.
   */
  static final class ObservedPages implements CallObserver {

    private static final Logger LOG = LoggerFactory.getLogger(ObservedPages.class);

    private final NodeAddress node;
    private final long incarnation;
    private final int most;
    private final PageTable table;
    private final ResidencyReporter own;
    private final Map<ReplicaId, Map<PageId, Integer>> held = new HashMap<>();
    private long version;

    /**
     * @param incarnation greater than that of any observer of the node before this one
     * @param most pages that are told of each replica; those that came later are left out
     * @param own reports what this node's replica holds
     */
    ObservedPages(
        NodeAddress node, long incarnation, int most, PageTable table, ResidencyReporter own) {
      this.node = node;
      this.incarnation = incarnation;
      this.most = most;
      this.table = table;
      this.own = own;
    }

    @Override
    public void answered(
        Replica replica, InferenceRequest request, Usage usage, OptionalLong cachedTokens) {}

    @Override
    public synchronized void cached(String replica, ResidentPages.Change change) {
      Optional<ReplicaId> id = ReplicaId.of(replica);
      if (id.isEmpty()) {
        LOG.debug("the page table cannot name replica {}", replica);
        return;
      }
      Map<PageId, Integer> pages = held.computeIfAbsent(id.get(), key -> new LinkedHashMap<>());
      change.gone().forEach(page -> pages.remove(new PageId(page)));
      change
          .came()
          .forEach((page, tokens) -> {
            if (pages.size() < most) {
              pages.put(new PageId(page), tokens);
            } else {
              LOG.debug("replica {} holds more than {} pages: {} is left out", replica, most, page);
            }
          });
      table.report(new ObservedResidency(node, id.get(), incarnation, ++version, pages));
      own.observed(id.get());
    }

    @Override
    public synchronized void cacheUnknown(String replica) {
      ReplicaId.of(replica)
          .filter(id -> held.remove(id) != null)
          .ifPresent(id ->
              table
                  .forget(node, id)
                  .whenComplete((done, failure) -> {
                    if (failure != null) {
                      LOG.warn("pages of {} are forgotten later: {}", id, failure.toString());
                    }
                  }));
    }
  }

  /**
   * Enters into the page table which pages the calls of this node's gateway read, and where. Calls
   * to servers that the table does not know are passed over. Thread-safe.
   */
  record PageUseReporter(PageUseTracker tracker, PageTable table, InstantSource clock)
      implements CallObserver {

    @Override
    public void answered(
        Replica replica, InferenceRequest request, Usage usage, OptionalLong cachedTokens) {}

    @Override
    public void sent(Replica replica, InferenceRequest request) {
      List<PageId> pages = pages(request);
      if (!pages.isEmpty()) {
        PageTableSnapshot known = table.snapshot();
        known(known, replica)
            .ifPresent(id -> {
              tracker.began(
                  id, pages, page -> known.replicasWith(page).contains(id), clock.instant());
              table.report(tracker.report());
            });
      }
    }

    @Override
    public void ended(Replica replica, InferenceRequest request) {
      List<PageId> pages = pages(request);
      if (!pages.isEmpty()) {
        known(table.snapshot(), replica)
            .ifPresent(id -> {
              tracker.ended(id, pages, clock.instant());
              table.report(tracker.report());
            });
      }
    }

    @Override
    public void gaveUp(Replica replica, Set<String> pages) {
      PageTableSnapshot known = table.snapshot();
      known(known, replica)
          .ifPresent(id -> {
            List<PageId> there =
                pages.stream()
                    .map(PageId::new)
                    .filter(page -> known.replicasWith(page).contains(id))
                    .toList();
            if (!there.isEmpty()) {
              tracker.evicting(id, there, clock.instant());
              table.report(tracker.report());
            }
          });
    }

    private static List<PageId> pages(InferenceRequest request) {
      return request.prompt().pages().stream()
          .map(PromptPage::id)
          .distinct()
          .map(PageId::new)
          .toList();
    }

    private static Optional<ReplicaId> known(PageTableSnapshot table, Replica replica) {
      return ReplicaId.of(replica.id()).filter(table::knows);
    }
  }
}
