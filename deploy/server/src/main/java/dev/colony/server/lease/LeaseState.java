package dev.colony.server.lease;

import java.util.function.Predicate;

/**
 * What stood in Redis of a lease when a script looked.
 *
 * @param now the clock of Redis, epoch milliseconds
 * @param holder who holds it; empty where it is free or its time is over
 * @param claim names the last acquisition, whether it is over or not; empty where there was none
 * @param done whether what the script was asked to do is done
 */
record LeaseState(long now, String holder, String claim, boolean done) {

  /** What one who wants the lease does next. */
  sealed interface Next {

    /**
     * To be taken, if it is still as it was seen.
     *
     * @param claim under which; that of the holder where the lease only changes hands within a side
     */
    record Take(String claim) implements Next {}

    /** Another side holds it. */
    record Leave(String holder) implements Next {}
  }

  /** What became of a lease that its holder wanted to renew. */
  enum Renewal {
    /** It is held for another while. */
    KEPT,
    /** Another node of the same side has it, under the same claim, or it was given back. */
    PASSED_ON,
    /** There was an acquisition since: another side has, or had, the lease. */
    LOST
  }

  /**
   * Decides for a node that wants the lease. A lease that a node of its own side holds, from an
   * earlier decision, is taken over: a side that has won is not to lose because another of its
   * nodes decides the next time.
   *
   * @param self the node
   * @param sameSide whether a node is a member that this one reaches
   * @param fresh a claim that no acquisition has had
   */
  Next next(String self, Predicate<String> sameSide, String fresh) {
    if (holder.isEmpty()) {
      return new Next.Take(fresh);
    }
    return holder.equals(self) || sameSide.test(holder)
        ? new Next.Take(claim)
        : new Next.Leave(holder);
  }

  /** What the answer to a renewal means for one who held the lease under a claim. */
  Renewal renewal(String own) {
    if (done) {
      return Renewal.KEPT;
    }
    return claim.equals(own) ? Renewal.PASSED_ON : Renewal.LOST;
  }
}
