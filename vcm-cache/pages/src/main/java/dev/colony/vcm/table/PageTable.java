package dev.colony.vcm.table;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.PageUses;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import java.util.Collection;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The page table as seen from one node. Thread-safe; no call blocks but {@link #assign}. */
public interface PageTable extends AutoCloseable {

  /** That a listener is told of changes, until it is closed. */
  @FunctionalInterface
  interface Listening extends AutoCloseable {

    @Override
    void close();
  }

  /** What is known here now, without I/O. Other nodes' changes arrive a bounded time later. */
  PageTableSnapshot snapshot();

  /**
   * Says what is resident in a replica of this node. Seen here at once, published after a pause
   * that gathers further reports; published again until it succeeds. Older reports than one seen
   * are ignored.
   *
   * @throws IllegalArgumentException if there are more pages than the settings allow
   */
  void report(ReplicaResidency residency);

  /**
   * Says what this node's gateway knows of a replica's cache, of which the replica publishes what
   * happens there; published and bounded like what is resident in a replica of this node, and
   * forgotten a while after this node has gone.
   *
   * @throws IllegalArgumentException if there are more pages than the settings allow
   */
  void report(ObservedResidency observed);

  /**
   * Takes back what this node has observed at a replica. Done when that is stored; the snapshots
   * follow.
   */
  CompletionStage<Void> forget(NodeAddress node, ReplicaId replica);

  /**
   * Says what a node's gateway reads, see {@link PageUseTracker#report}; published like what is
   * resident, after a longer pause, and forgotten a while after the last report.
   */
  void report(PageUses uses);

  /** Locks pages and asks for them. What is granted here is seen here at once. */
  PageLeases leases();

  /**
   * Takes a replica out, whichever node reported it; what it reports later puts it back. Done when
   * that is stored; the snapshots follow. Unknown ones are no error.
   */
  CompletionStage<Void> withdraw(ReplicaId replica);

  /**
   * Gives each group a unit. One that has a unit keeps it, however many assign at once: all of them
   * get the same answer. Blocks until that is stored.
   *
   * @param choice asked for the groups without one
   */
  SortedMap<PageGroupId, Integer> assign(Collection<PageGroup> groups, UnitChoice choice);

  /**
   * Takes a replica out unless a later incarnation of it has reported: for a node that only
   * believes that it is gone. Done when that is stored, or not needed.
   */
  CompletionStage<Void> withdraw(ReplicaId replica, long incarnation);

  /**
   * Tells of each change of what is resident anywhere, and of each replica that was taken out, in
   * order and one at a time, when {@link #snapshot} has it. What is known already is not told.
   *
   * @param listener must not block, and must not throw
   * @return ends it; a change that is being told then may still be
   */
  Listening onChange(Consumer<ResidencyChange> listener);

  @Override
  void close();

  /**
   * What one piece of news about a replica changed for all replicas together.
   *
   * @param node whose replica it was; all pages may have stayed in the caches of others
   * @param came pages that are in a cache now and were in none
   * @param gone pages that were in a cache and are in none now
   */
  record ResidencyChange(NodeAddress node, Set<PageId> came, Set<PageId> gone) {

    public ResidencyChange {
      came = Set.copyOf(came);
      gone = Set.copyOf(gone);
    }

    boolean none() {
      return came.isEmpty() && gone.isEmpty();
    }
  }

  /**
   * Says which unit each of some new groups shall belong to. Pure: equal arguments, equal answer.
   */
  @FunctionalInterface
  interface UnitChoice {

    /** One unit for each group. */
    SortedMap<PageGroupId, Integer> choose(Collection<PageGroup> groups, PageTableSnapshot table);
  }
}
