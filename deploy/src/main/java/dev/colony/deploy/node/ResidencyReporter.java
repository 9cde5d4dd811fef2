package dev.colony.deploy.node;

import dev.colony.inference.gateway.ResidencyListener;
import dev.colony.inference.routing.ResidencyReport;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.ReplicaResidency;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Enters what a replica holds into the page table. To the table the replica lives as long as its
 * node does: reports are numbered here, whatever lives the server behind them has had.
 */
final class ResidencyReporter implements ResidencyListener {

  private final ReplicaId replica;
  private final NodeAddress node;
  private final PageTable table;
  private final long incarnation = System.currentTimeMillis();
  private final AtomicLong version = new AtomicLong();

  ResidencyReporter(NodeOptions options, PageTable table) {
    this.replica = new ReplicaId(options.name());
    this.node = new NodeAddress(options.address());
    this.table = table;
  }

  @Override
  public void resident(ResidencyReport report) {
    table.report(
        new ReplicaResidency(
            replica,
            node,
            incarnation,
            version.incrementAndGet(),
            report.pages().stream()
                .collect(
                    Collectors.toMap(
                        page -> new PageId(page.id()), ResidencyReport.Page::tokens, Math::max))));
  }
}
