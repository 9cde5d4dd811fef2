package dev.colony.cli.local;

import dev.colony.cli.settings.UpSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Whether and when one node that dies is started again. Not thread-safe. */
final class NodeRestarts {

  /** What follows from a death. */
  sealed interface Next {

    /**
     * It is started again.
     *
     * @param number of the starts within the window, this one included
     */
    record After(Duration pause, int number) implements Next {}

    /** It has been started as often as may be, and died again. */
    record Never() implements Next {}
  }

  private final UpSettings settings;
  private final Deque<Long> deaths = new ArrayDeque<>();

  NodeRestarts(UpSettings settings) {
    this.settings = settings;
  }

  /**
   * @param nanos when it died, by a monotonic clock, not before any death before it
   */
  Next died(long nanos) {
    while (!deaths.isEmpty() && nanos - deaths.peekFirst() > settings.within().toNanos()) {
      deaths.removeFirst();
    }
    if (deaths.size() >= settings.most()) {
      return new Next.Never();
    }
    Duration pause = settings.pauseMin();
    for (int i = 0; i < deaths.size() && pause.compareTo(settings.pauseMax()) < 0; i++) {
      pause = pause.multipliedBy(2);
    }
    deaths.addLast(nanos);
    return new Next.After(
        pause.compareTo(settings.pauseMax()) < 0 ? pause : settings.pauseMax(), deaths.size());
  }
}
