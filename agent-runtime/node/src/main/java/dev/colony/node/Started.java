package dev.colony.node;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has been started so far, ended in the reverse order. One part that does not end cleanly is
 * logged and keeps none of the others from ending. Thread-safe; closing twice does nothing more.
 */
public final class Started implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Started.class);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private boolean closed;

  /** Adds a part and gives it back. */
  public synchronized <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  /**
   * Starts something and adds what ends it, with no end of all of it in between: that waits.
   *
   * @throws IllegalStateException if all of it has been ended
   */
  public synchronized <T> T unlessClosed(Supplier<T> start) {
    if (closed) {
      throw new IllegalStateException("all that was started has been ended");
    }
    return start.get();
  }

  @Override
  public synchronized void close() {
    closed = true;
    while (!parts.isEmpty()) {
      AutoCloseable last = parts.pop();
      try {
        last.close();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      } catch (Exception failure) {
        LOG.warn("{} did not end cleanly", last.getClass().getSimpleName(), failure);
      }
    }
  }
}
