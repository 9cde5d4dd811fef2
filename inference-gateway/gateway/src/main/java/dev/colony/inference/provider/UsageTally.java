package dev.colony.inference.provider;

import dev.colony.inference.Usage;

/** What a call has used up so far, over all its exchanges, also those that failed. Thread-safe. */
public final class UsageTally {

  private Usage total = Usage.NONE;

  synchronized void add(Usage more) {
    total = total.plus(more);
  }

  public synchronized Usage total() {
    return total;
  }
}
