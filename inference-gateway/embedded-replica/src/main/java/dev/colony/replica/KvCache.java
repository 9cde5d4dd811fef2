package dev.colony.replica;

import dev.colony.inference.prefix.PageResidency;
import dev.colony.inference.prefix.PageResidency.ResidentPage;
import dev.colony.inference.prefix.PrefixCache;
import dev.colony.inference.prefix.PrefixCache.Entered;
import dev.colony.inference.prefix.PrefixCache.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The replica's prefix cache and the pages in it, shared by all calls. A call that finds too few
 * free blocks waits until others release theirs. Every change of the resident pages raises the
 * version and wakes the followers. Thread-safe.
 */
final class KvCache {

  /** A prompt in the cache. */
  record Admission(Lease lease, int cachedTokens) {}

  /** The resident pages at one version. */
  record Residency(long version, List<ResidentPage> pages) {}

  private final int blockTokens;
  private final PrefixCache cache;
  private final PageResidency residency;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final Condition released = lock.newCondition();
  private final Condition changed = lock.newCondition();
  private long version;
  private long queriedTokens;
  private long hitTokens;

  KvCache(int blockTokens, int capacityBlocks, int maxPages) {
    this.blockTokens = blockTokens;
    this.cache = new PrefixCache(capacityBlocks);
    this.residency = new PageResidency(maxPages);
  }

  /**
   * Enters a prompt, waiting for room. At least the last token counts as computed even where all
   * blocks were cached, because the first token of the reply follows from it.
   */
  Admission admit(long[] chain, int promptTokens) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      Optional<Entered> entered = cache.enter(chain);
      while (entered.isEmpty()) {
        released.await();
        entered = cache.enter(chain);
      }
      int reusable = Math.min(entered.get().reusedBlocks(), (promptTokens - 1) / blockTokens);
      int cachedTokens = reusable * blockTokens;
      queriedTokens += promptTokens;
      hitTokens += cachedTokens;
      publishIf(residency.evicted(entered.get().evicted()));
      return new Admission(entered.get().lease(), cachedTokens);
    } finally {
      lock.unlock();
    }
  }

  /** Notes a page whose last full block is {@code end}; its prompt must still hold its lease. */
  void loaded(ResidentPage page, long end) {
    lock.lock();
    try {
      publishIf(residency.loaded(page, end));
    } finally {
      lock.unlock();
    }
  }

  void release(Lease lease) {
    lock.lock();
    try {
      cache.release(lease);
      released.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The resident pages, as soon as their version is not {@code known} or {@code hold} is over. */
  Residency residencyOtherThan(long known, Duration hold) throws InterruptedException {
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

  double usage() {
    lock.lock();
    try {
      return (double) cache.leasedBlocks() / cache.capacityBlocks();
    } finally {
      lock.unlock();
    }
  }

  long queriedTokens() {
    lock.lock();
    try {
      return queriedTokens;
    } finally {
      lock.unlock();
    }
  }

  long hitTokens() {
    lock.lock();
    try {
      return hitTokens;
    } finally {
      lock.unlock();
    }
  }

  private void publishIf(boolean different) {
    if (different) {
      version++;
      changed.signalAll();
    }
  }
}
