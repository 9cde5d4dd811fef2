package dev.colony.node.runtime;

import dev.colony.core.retry.Backoff;
import dev.colony.node.resumption.Resumptions;
import dev.colony.node.resumption.Trigger;
import dev.colony.vcm.PageId;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the agents that wait for pages looked at when some arrive. What arrives while that is under
 * way is gathered and comes next. What a node's death loses, the slow sweep of the index finds.
 * Thread-safe.
 */
final class PageArrivals {

  private static final Logger LOG = LoggerFactory.getLogger(PageArrivals.class);

  private final Resumptions resumptions;
  private final Backoff backoff;
  private Set<PageId> waiting = new HashSet<>();
  private boolean underWay;

  PageArrivals(Resumptions resumptions, Backoff backoff) {
    this.resumptions = resumptions;
    this.backoff = backoff;
  }

  /** Returns at once. */
  synchronized void came(Set<PageId> pages) {
    waiting.addAll(pages);
    if (!underWay) {
      next();
    }
  }

  private synchronized void next() {
    underWay = !waiting.isEmpty();
    if (underWay) {
      Trigger arrived = new Trigger.PagesArrived(Set.copyOf(waiting));
      waiting = new HashSet<>();
      backoff
          .repeat("waking who waits for pages", () -> false, () -> resumptions.happened(arrived))
          .whenComplete((woken, failure) -> {
            if (failure != null) {
              LOG.error("who waits for pages waits for the next sweep", Backoff.cause(failure));
            }
            next();
          });
    }
  }
}
