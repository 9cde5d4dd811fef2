package dev.colony.replica;

import dev.colony.replica.PageResidency.ResidentPage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The pages in the cache. Every change raises the version and wakes the followers. Thread-safe. */
final class ResidentPages {

  /** The resident pages at one version. */
  record Residency(long version, List<ResidentPage> pages) {}

  private final int maxPages;
  private PageResidency residency;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long version;

  ResidentPages(int maxPages) {
    this.maxPages = maxPages;
    this.residency = new PageResidency(maxPages);
  }

  /** Notes a page whose last full block is {@code end} and is cached. */
  void loaded(ResidentPage page, long end) {
    lock.lock();
    try {
      publishIf(residency.loaded(page, end));
    } finally {
      lock.unlock();
    }
  }

  void evicted(List<Long> blocks) {
    lock.lock();
    try {
      publishIf(residency.evicted(blocks));
    } finally {
      lock.unlock();
    }
  }

  void clear() {
    lock.lock();
    try {
      publishIf(!residency.pages().isEmpty());
      residency = new PageResidency(maxPages);
    } finally {
      lock.unlock();
    }
  }

  /** The resident pages, as soon as their version is not {@code known} or {@code hold} is over. */
  Residency otherThan(long known, Duration hold) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long nanos = hold.toNanos();
      while (version == known && nanos > 0) {
        nanos = changed.awaitNanos(nanos);
      }
      return new Residency(version, residency.pages());
    } finally {
      lock.unlock();
    }
  }

  /** Waits until changes within {@code time} have come together. */
  static void coalesce(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }

  private void publishIf(boolean different) {
    if (different) {
      version++;
      changed.signalAll();
    }
  }
}
