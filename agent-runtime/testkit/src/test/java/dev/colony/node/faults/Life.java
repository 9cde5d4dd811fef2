package dev.colony.node.faults;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The life of a process as far as the world can tell: when it dies, nothing that it does has an
 * effect any more, and nothing that it waits for comes.
 */
final class Life {

  /** Where the process is killed, if it gets there. */
  enum Side {
    /** The write does not reach the journal. */
    BEFORE,
    /** It does, and nobody hears of that. */
    AFTER
  }

  /**
   * When a life ends.
   *
   * @param write of the life's writes to the journal, counted from 1; 0 for never
   */
  record Fault(int write, Side side) {
    static final Fault NEVER = new Fault(0, Side.BEFORE);
  }

  private static final Map<String, Life> ALL = new ConcurrentHashMap<>();

  private final JournalStore store;
  private final Fault fault;
  private final CompletableFuture<Void> death = new CompletableFuture<>();
  private final CompletableFuture<Void> readable = new CompletableFuture<>();
  private final AtomicInteger failures = new AtomicInteger();
  private int writes;

  private Life(JournalStore store, Fault fault) {
    this.store = store;
    this.fault = fault;
  }

  /** Begins a life; the plugin finds it by its name. */
  static Life begin(String name, JournalStore store, Fault fault) {
    Life life = new Life(store, fault);
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
    writes++;
    boolean dies = writes == fault.write();
    if (!dies || fault.side() == Side.AFTER) {
      append.run();
    }
    if (dies) {
      end();
    }
    return !dies;
  }

  /** It ends here, be it by a fault or because the trial is over. */
  void end() {
    death.complete(null);
  }
}
