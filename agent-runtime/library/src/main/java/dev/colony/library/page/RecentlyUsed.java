package dev.colony.library.page;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Keeps what was used last, within a number and a size: what a node makes of a page map and needs
 * again. Thread-safe; makes one value at a time, while others wait.
 */
public final class RecentlyUsed<K, V> implements AutoCloseable {

  private final int most;
  private final long mostSize;
  private final ToLongFunction<V> sizes;
  private final Consumer<V> dropped;
  private final Map<K, V> kept = new LinkedHashMap<>(16, 0.75f, true);
  private long size;

  /**
   * Empty so far.
   *
   * @param most how many values, 1 or more
   * @param mostSize of all of them together; one alone is kept whatever its size
   * @param sizes of a value, the same each time
   * @param dropped is told of each value that is kept no longer
   */
  public RecentlyUsed(int most, long mostSize, ToLongFunction<V> sizes, Consumer<V> dropped) {
    this.most = most;
    this.mostSize = mostSize;
    this.sizes = sizes;
    this.dropped = dropped;
  }

  /** The value of a key, made if it is not kept. */
  public synchronized V get(K key, Function<K, V> made) {
    V value = kept.get(key);
    if (value == null) {
      value = made.apply(key);
      kept.put(key, value);
      size += sizes.applyAsLong(value);
      evict();
    }
    return value;
  }

  private void evict() {
    Iterator<V> eldest = kept.values().iterator();
    while (kept.size() > 1 && (kept.size() > most || size > mostSize)) {
      V value = eldest.next();
      eldest.remove();
      size -= sizes.applyAsLong(value);
      dropped.accept(value);
    }
  }

  /** Keeps nothing any longer. */
  @Override
  public synchronized void close() {
    kept.values().forEach(dropped);
    kept.clear();
    size = 0;
  }
}
