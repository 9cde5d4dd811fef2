package dev.colony.testkit.board;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.ScopeEventLog;
import dev.colony.blackboard.board.ScopeEventLog.LoggedEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The stored events of one scope and the durable subscriptions for which they are retained. Not
 * thread-safe.
 */
final class MemoryLog {

  private final BlackboardSettings.Events limits;
  private final NavigableMap<Position, MemoryEvent> events = new TreeMap<>();
  private final Map<String, Position> durables = new TreeMap<>();
  private Position head = Position.BEGINNING;
  private long bytes;

  MemoryLog(BlackboardSettings.Events limits) {
    this.limits = limits;
  }

  Position head() {
    return head;
  }

  int size() {
    return events.size();
  }

  /** Where the next event stands: its time is never less than that of the one before. */
  Position next(Instant now) {
    return new Position(Math.max(now.toEpochMilli(), head.millis()), head.ordinal() + 1);
  }

  void append(MemoryEvent event) {
    head = event.position();
    events.put(head, event);
    bytes += event.bytes();
    trim();
  }

  ScopeEventLog.Page read(Position after, int limit, long maxBytes) {
    List<LoggedEvent> found = new ArrayList<>();
    long size = 0;
    for (MemoryEvent event : events.tailMap(after, false).values()) {
      size += event.bytes();
      if (!found.isEmpty() && (found.size() == limit || size > maxBytes)) {
        return new ScopeEventLog.Page(found, false);
      }
      found.add(event);
    }
    return new ScopeEventLog.Page(found, true);
  }

  Position acknowledged(SubscribeFrom.Durable durable) {
    return durables.computeIfAbsent(durable.name(), name -> start(durable.first()));
  }

  private Position start(SubscribeFrom.Start first) {
    return switch (first) {
      case SubscribeFrom.Now now -> head;
      case SubscribeFrom.After after ->
          after.position().equals(Position.BEGINNING) && !events.isEmpty()
              ? events.firstEntry().getValue().previous()
              : after.position();
    };
  }

  void acknowledge(String subscription, Position position) {
    durables.merge(subscription, position, (old, other) -> old.compareTo(other) > 0 ? old : other);
    trim();
  }

  boolean forget(String subscription) {
    boolean known = durables.remove(subscription) != null;
    trim();
    return known;
  }

  Map<String, Position> durables() {
    return Map.copyOf(durables);
  }

  /** Lets the events go that are older, but for the newest. */
  void trim(long beforeMillis) {
    while (events.size() > 1 && events.firstKey().millis() < beforeMillis) {
      bytes -= events.pollFirstEntry().getValue().bytes();
    }
  }

  /** Begins anew. */
  void clear() {
    events.clear();
    head = Position.BEGINNING;
    bytes = 0;
  }

  private void trim() {
    Position wanted = durables.isEmpty() ? head : Collections.min(durables.values());
    // The newest stays, however large it is: it shows where the log ends.
    while (events.size() > 1
        && (bytes > limits.keptBytes() || events.size() > kept(events.firstKey(), wanted))) {
      bytes -= events.pollFirstEntry().getValue().bytes();
    }
  }

  /** How many are kept while this is the oldest. */
  private int kept(Position oldest, Position wanted) {
    return oldest.compareTo(wanted) > 0 ? limits.keptForDurable() : limits.kept();
  }
}
