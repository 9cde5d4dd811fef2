package dev.colony.server.node;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.replicas.ResidentPages;
import dev.colony.inference.routing.Replica;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.ObservedResidency;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.ReplicaId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enters into the page table what this node's gateway knows of the caches of replicas that publish
 * events of them, listed servers and nodes' own ones. What one of this node publishes takes the
 * place of what was estimated of it. Thread-safe.
 */
final class ObservedPages implements CallObserver {

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
