package dev.colony.blackboard.feed;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Position;
import java.util.ArrayDeque;
import java.util.Queue;

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
}
