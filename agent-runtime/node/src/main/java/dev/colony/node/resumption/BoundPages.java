package dev.colony.node.resumption;

import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** What a node's agents ask of the pages that they are bound to. Thread-safe; does no I/O. */
public interface BoundPages {

  /** Ends what it was given for; a second time changes nothing. */
  @FunctionalInterface
  interface Binding extends AutoCloseable {

    @Override
    void close();
  }

  /**
   * Tells a bound agent that is in memory here of pages that have gone from the last cache: not of
   * such as were in none, and not before it has been here for a while.
   *
   * @param gone is given all pages of the group, on any thread, each time that some are gone; must
   *     not block
   */
  Binding bind(PageGroupId group, Consumer<List<PageId>> gone);

  /** All pages of a group if some are in no cache now; empty also for a group that is not known. */
  Optional<List<PageId>> missing(PageGroupId group);

  /**
   * Tells which pages have come from no cache into one of this node's replica.
   *
   * @param came called by one thread at a time; must not block
   */
  Binding onArrival(Consumer<Set<PageId>> came);
}
