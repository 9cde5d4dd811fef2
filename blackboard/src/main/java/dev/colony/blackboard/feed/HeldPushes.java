package dev.colony.blackboard.feed;

import dev.colony.blackboard.BlackboardSettings;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Predicate;

/**
 * The events that are pushed while the log is read. Where events come at a steady rate there is
 * always one that the read was too early for: without it, who fell behind once would read for ever.
 * Holds nothing between reads. Not thread-safe.
 */
final class HeldPushes {

  private final BlackboardSettings.Subscriber limits;
  private Queue<LoggedEvent> events;
  private long bytes;

  HeldPushes(BlackboardSettings.Subscriber limits) {
    this.limits = limits;
  }

  /** Beyond the limits all are let go: the log has them. */
  void add(LoggedEvent event) {
    if (events == null) {
      events = new ArrayDeque<>();
    }
    if (events.size() == limits.buffer() || bytes + event.bytes() > limits.bufferBytes()) {
      events.clear();
      bytes = 0;
    } else {
      events.add(event);
      bytes += event.bytes();
    }
  }

  /** Hands them on in their order, up to the first that is not taken, and holds none. */
  void drain(Predicate<LoggedEvent> taken) {
    while (events != null && !events.isEmpty() && taken.test(events.remove())) {
      // The next one.
    }
    clear();
  }

  void clear() {
    events = null;
    bytes = 0;
  }
}
