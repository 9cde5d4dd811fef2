package dev.colony.vcm.table;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import java.util.Collection;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;

/** The page table as seen from one node. Thread-safe; no call blocks. */
public interface PageTable extends AutoCloseable {

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
   * Takes a replica out, whichever node reported it; what it reports later puts it back. Done when
   * that is stored; the snapshots follow. Unknown ones are no error.
   */
  CompletionStage<Void> withdraw(ReplicaId replica);

  /**
   * Gives each group a unit. One that has a unit keeps it, however many assign at once: all of them
   * get the same answer.
   *
   * @param choice asked for the groups without one
   */
  CompletionStage<SortedMap<PageGroupId, Integer>> assign(
      Collection<PageGroup> groups, UnitChoice choice);

  @Override
  void close();
}
