package dev.colony.server.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Lets so many requests be worked on at a time, since each may hold a page of what it read; further
 * ones wait for their turn in the order in which they came. Blocks. Thread-safe.
 */
final class AtWork {

  private final Semaphore places;
  private final Duration longest;

  /**
   * @param longest that one waits for its turn
   */
  AtWork(int places, Duration longest) {
    this.places = new Semaphore(places, true);
    this.longest = longest;
  }

  /**
   * Does the work when it is its turn.
   *
   * @throws Refusal if that does not come in time; nothing has happened then
   */
  <T> T take(Supplier<T> work) {
    if (!turn()) {
      throw Refusal.of(
          Code.TIMEOUT, "the node has too much to do; ask again", Map.of("Retry-After", "1"));
    }
    try {
      return work.get();
    } finally {
      places.release();
    }
  }

  private boolean turn() {
    try {
      return places.tryAcquire(longest.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
