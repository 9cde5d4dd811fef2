package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.board.ScopeEventLog.LoggedEvent;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Predicate;

/**
 * What waits for one subscriber: events, bounded by their number and by their bytes, and between
 * them what it is to be told. Holds nothing while nothing waits, for most subscribers are idle. Not
 * thread-safe.
 */
final class FeedBuffer {

  /** What a subscriber is called with. */
  sealed interface Item {

    record Event(LoggedEvent event) implements Item {}

    record Behind(Position last) implements Item {}

    record CaughtUp() implements Item {}
  }

  private final BlackboardSettings.Subscriber limits;
  private Queue<Item> items;
  private int events;
  private long bytes;

  FeedBuffer(BlackboardSettings.Subscriber limits) {
    this.limits = limits;
  }

  boolean isEmpty() {
    return items == null;
  }

  /** Whether one more event has room. One alone has it, however large it is. */
  boolean takes(LoggedEvent event) {
    return events == 0 || (events < limits.buffer() && event.bytes() <= freeBytes());
  }

  /** Whether at least half is free by either measure, so that a read is worth its while. */
  boolean halfFree() {
    return freeEvents() >= (limits.buffer() + 1) / 2 && freeBytes() >= limits.bufferBytes() / 2;
  }

  int freeEvents() {
    return limits.buffer() - events;
  }

  /** Less than 0 while an event waits that is larger than all. */
  long freeBytes() {
    return limits.bufferBytes() - bytes;
  }

  void add(Item item) {
    if (items == null) {
      items = new ArrayDeque<>();
    }
    items.add(item);
    count(item, 1);
  }

  /** Whether something waits that can be handed on under a demand. */
  boolean ready(long demand) {
    return items != null && (demand > 0 || !(items.peek() instanceof Item.Event));
  }

  Item remove() {
    Item item = items.remove();
    count(item, -1);
    if (items.isEmpty()) {
      items = null;
    }
    return item;
  }

  void clear() {
    items = null;
    events = 0;
    bytes = 0;
  }

  private void count(Item item, int sign) {
    if (item instanceof Item.Event one) {
      events += sign;
      bytes += sign * (long) one.event().bytes();
    }
  }

  /**
   * The events that are pushed while the log is read. Where events come at a steady rate there is
   * always one that the read was too early for: without it, who fell behind once would read for
   * ever. Holds nothing between reads. Not thread-safe.
   */
  static final class HeldPushes {

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
}
