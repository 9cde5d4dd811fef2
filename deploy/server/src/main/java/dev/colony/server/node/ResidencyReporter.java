package dev.colony.server.node;

import dev.colony.inference.gateway.ResidencyListener;
import dev.colony.inference.routing.Replica;
import dev.colony.inference.routing.ResidencyReport;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.ReplicaResidency;
import dev.colony.vcm.table.ResidencyChange;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * Enters what a replica holds into the page table. To the table the replica lives as long as its
 * node does: reports are numbered here, whatever lives the server behind them has had.
 */
final class ResidencyReporter implements ResidencyListener {

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

  @Override
  public synchronized void resident(ResidencyReport report) {
    estimated = report.estimated();
    if (estimated && observed) {
      report(Map.of());
      return;
    }
    report(
        report.pages().stream()
            .collect(
                Collectors.toMap(
                    page -> new PageId(page.id()), ResidencyReport.Page::tokens, Math::max)));
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
}
