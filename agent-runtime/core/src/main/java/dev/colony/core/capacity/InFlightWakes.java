package dev.colony.core.capacity;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Those who were woken for a node and have not been seen there: they count as if they were there,
 * so that no other agent is woken for the same slot. Who does not come within a while does not
 * count any more. Not thread-safe.
 */
final class InFlightWakes {

  private final List<Woken> woken = new ArrayList<>();
  private long life;
  private long arrived;

  /** One that was woken. */
  record Woken(Candidate who, Instant at) {}

  /** The node has said how many have come. */
  void reported(CapacityReport report) {
    if (report.life() != life) {
      woken.clear();
    } else {
      int come = (int) Math.min(woken.size(), Math.max(0, report.arrived() - arrived));
      woken.subList(0, come).clear();
    }
    life = report.life();
    arrived = report.arrived();
  }

  void add(Candidate who, Instant now) {
    woken.add(new Woken(who, now));
  }

  void remove(Candidate who) {
    woken.removeIf(one -> one.who().same(who));
  }

  /** Gives up those who were woken too long ago. */
  void expire(Instant now, Duration grace) {
    Iterator<Woken> oldest = woken.iterator();
    while (oldest.hasNext() && oldest.next().at().plus(grace).isBefore(now)) {
      oldest.remove();
    }
  }

  int size() {
    return woken.size();
  }

  long tokens() {
    return woken.stream().mapToLong(one -> one.who().request().tokens()).sum();
  }

  long of(String tenant) {
    return woken.stream().filter(one -> one.who().request().tenant().equals(tenant)).count();
  }

  boolean includes(Candidate who) {
    return woken.stream().anyMatch(one -> one.who().same(who));
  }
}
