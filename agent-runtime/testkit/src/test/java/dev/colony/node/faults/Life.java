package dev.colony.node.faults;

import dev.colony.testkit.KillPoint;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The life of a process as far as the world can tell: when it dies, nothing that it does has an
 * effect any more, and nothing that it waits for comes.
 */
final class Life {

  private static final Map<String, Life> ALL = new ConcurrentHashMap<>();

  private final JournalStore store;
  private final KillPoint point;
  private final CompletableFuture<Void> death = new CompletableFuture<>();
  private final CompletableFuture<Void> readable = new CompletableFuture<>();
  private final AtomicInteger failures = new AtomicInteger();

  private Life(JournalStore store, KillPoint point) {
    this.store = store;
    this.point = point;
  }

  /** Begins a life; the plugin finds it by its name. */
  static Life begin(String name, JournalStore store, KillPoint point) {
    Life life = new Life(store, point);
    ALL.put(name, life);
    return life;
  }

  static Life of(String name) {
    return ALL.get(name);
  }

  JournalStore store() {
    return store;
  }

  boolean dead() {
    return death.isDone();
  }

  CompletableFuture<Void> death() {
    return death;
  }

  /** Lets the journal be read. */
  void mayRead() {
    readable.complete(null);
  }

  CompletableFuture<Void> readable() {
    return readable;
  }

  /** The next write to the journal fails, and does not reach it. */
  void failsOnce() {
    failures.set(1);
  }

  boolean fails() {
    return failures.getAndSet(0) > 0;
  }

  /** Writes to the journal, or dies of it; false if nobody is to hear of it. */
  synchronized boolean write(Runnable append) {
    if (dead()) {
      return false;
    }
    boolean lives = point.write(append);
    if (!lives) {
      end();
    }
    return lives;
  }

  /** It ends here, be it by a fault or because the trial is over. */
  void end() {
    death.complete(null);
  }
}
