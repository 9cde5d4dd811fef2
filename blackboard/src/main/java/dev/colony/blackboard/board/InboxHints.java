package dev.colony.blackboard.board;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners which buckets have got something. Many hints for one bucket become one call while
 * the listeners are busy, so that a flood of requests costs one bit.
 */
public final class InboxHints {

  private static final Logger LOG = LoggerFactory.getLogger(InboxHints.class);

  private final Executor executor;
  private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();
  private final BitSet hinted = new BitSet();
  private boolean telling;

  /**
   * @param executor where the listeners are called, by one task at a time
   */
  public InboxHints(Executor executor) {
    this.executor = executor;
  }

  public AutoCloseable listen(IntConsumer listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** Never blocks. */
  public synchronized void hint(int bucket) {
    if (!listeners.isEmpty()) {
      hinted.set(bucket);
      if (!telling) {
        telling = true;
        executor.execute(this::tell);
      }
    }
  }

  private void tell() {
    for (int bucket = next(); bucket >= 0; bucket = next()) {
      for (IntConsumer listener : listeners) {
        try {
          listener.accept(bucket);
        } catch (RuntimeException failure) {
          LOG.error("an inbox listener failed at bucket {}", bucket, failure);
        }
      }
    }
  }

  private synchronized int next() {
    int bucket = hinted.nextSetBit(0);
    if (bucket < 0) {
      telling = false;
    } else {
      hinted.clear(bucket);
    }
    return bucket;
  }
}
