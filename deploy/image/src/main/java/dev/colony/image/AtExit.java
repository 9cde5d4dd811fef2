package dev.colony.image;

import java.io.IOException;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;

/**
 * Something to put away when it is closed, or when the JVM ends before that: a command that is
 * interrupted unwinds no stack. What came last goes first; what cannot be put away then is told of,
 * and keeps nothing else from it. Thread-safe.
 */
final class AtExit<T> implements AutoCloseable {

  private static final Deque<AtExit<?>> OPEN = new ConcurrentLinkedDeque<>();
  private static volatile boolean begun;

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(AtExit::putAllAway));
  }

  private final T opened;
  private final Consumer<T> putAway;
  private boolean away;

  private AtExit(T opened, Consumer<T> putAway) {
    this.opened = opened;
    this.putAway = putAway;
  }

  /** Starts or makes it. */
  interface Opening<T> {
    T open() throws IOException;
  }

  /**
   * Opens it. The end of the JVM waits until that is done, and knows of it then; afterwards nothing
   * is opened any more.
   *
   * @throws ImageFailure if the JVM ends
   */
  static synchronized <T> AtExit<T> open(Opening<T> opening, Consumer<T> putAway)
      throws IOException {
    if (begun) {
      throw ImageFailure.fault("interrupted");
    }
    AtExit<T> one = new AtExit<>(opening.open(), putAway);
    OPEN.push(one);
    return one;
  }

  /** What was opened. */
  T get() {
    return opened;
  }

  /** Whether the JVM ends: what fails from here on fails because of that. */
  static boolean begun() {
    return begun;
  }

  private static synchronized void begin() {
    begun = true;
  }

  private static void putAllAway() {
    begin();
    for (AtExit<?> one = OPEN.poll(); one != null; one = OPEN.poll()) {
      try {
        one.putAway();
      } catch (RuntimeException left) {
        System.err.println("colony: left behind: " + left.getMessage());
      }
    }
  }

  /**
   * Once; who comes while another thread is at it waits, so that the JVM does not end meanwhile.
   */
  private synchronized void putAway() {
    if (!away) {
      away = true;
      putAway.accept(opened);
    }
  }

  @Override
  public void close() {
    try {
      putAway();
    } finally {
      OPEN.remove(this);
    }
  }
}
