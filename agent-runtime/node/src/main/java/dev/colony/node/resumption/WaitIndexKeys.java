package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.blackboard.Scope;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.vcm.PageId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.zip.CRC32;

/**
 * Where the index stands: in a fixed number of scopes, so that a Redis Cluster spreads them. An
 * agent's entry, its times and its place among those who wait for room are in the scope of its id;
 * that it waits for another agent's end or for a page, in the scope of these, so that who waits for
 * one thing is found in one place and in the order of the keys.
 */
final class WaitIndexKeys {

  /** Who waits was entered with this number: with another one it would not be found again. */
  static final int BUCKETS = 16;

  /** What the agents' own entries begin with. */
  static final String AGENT = "agent:";

  /** What the times begin with; the earliest comes first. */
  static final String TIME = "at:";

  /** What those who wait for room begin with, by tenant. */
  static final String ROOM = "room:";

  private static final int DIGITS = 15;

  private WaitIndexKeys() {}

  static Scope scope(int bucket) {
    return Scope.colony("system", "suspended-%02d".formatted(bucket)).namespace("conditions");
  }

  /** The bucket of the agent's own entry, its times and its place in the queue. */
  static int bucket(AgentId agent) {
    return bucket(agent.persistenceId());
  }

  /** The bucket of those who wait for what a prefix names. */
  static int bucket(String prefix) {
    CRC32 crc = new CRC32();
    crc.update(prefix.getBytes(StandardCharsets.UTF_8));
    return (int) (crc.getValue() % BUCKETS);
  }

  static String entry(AgentId agent) {
    return AGENT + agent.persistenceId();
  }

  /** What those who wait for the agent's end begin with; the waiter follows. */
  static String ended(AgentId agent) {
    return "ended:" + agent.persistenceId() + "|";
  }

  /** What those who wait for the page begin with; the waiter follows. */
  static String page(PageId page) {
    return "page:" + page + "|";
  }

  /** Times before 1970 count as then, times after the year 33000 never come. */
  static String time(Instant time, SuspensionKey waiter) {
    return TIME + digits(upToMillis(time)) + "|" + waiter;
  }

  static Instant timeOf(String key) {
    return Instant.ofEpochMilli(
        Long.parseLong(key.substring(TIME.length(), TIME.length() + DIGITS)));
  }

  static SuspensionKey waiterOfTime(String key) {
    return SuspensionKey.parse(key.substring(TIME.length() + DIGITS + 1));
  }

  static String room(SuspensionKey waiter, long rank) {
    return room(waiter.agent().tenant()) + digits(rank) + "|" + waiter;
  }

  /** What those of a tenant who wait for room begin with; rank and waiter follow. */
  static String room(String tenant) {
    return ROOM + tenant + "|";
  }

  static String tenantOfRoom(String key) {
    return key.substring(ROOM.length(), key.indexOf('|'));
  }

  /** Behind all of a tenant who wait for room, and before those of the next tenant. */
  static String behind(String tenant) {
    return ROOM + tenant + "}";
  }

  static CapacityQueue.Waiting waitingForCapacity(String key) {
    int from = key.indexOf('|') + 1;
    SuspensionKey waiter = SuspensionKey.parse(key.substring(from + DIGITS + 1));
    return new CapacityQueue.Waiting(
        waiter.agent(), waiter.suspension(), Long.parseLong(key.substring(from, from + DIGITS)));
  }

  /** A signal that came when the agent's suspension was not entered. */
  static String early(AgentId agent, ResumptionCondition.Custom signal) {
    return "early:" + agent.persistenceId() + "|custom:" + signal.key();
  }

  /** An approval that came when the agent's suspension was not entered. */
  static String early(AgentId agent, ResumptionCondition.Approved approved) {
    return "early:" + agent.persistenceId() + "|approval:" + approved.request();
  }

  private static String digits(long number) {
    return String.format("%0" + DIGITS + "d", Math.clamp(number, 0, CapacityQueue.WaitOrder.MOST));
  }

  /** The first millisecond at which the time has come. */
  private static long upToMillis(Instant time) {
    if (time.isAfter(Instant.ofEpochMilli(CapacityQueue.WaitOrder.MOST))) {
      return CapacityQueue.WaitOrder.MOST;
    }
    return time.isBefore(Instant.EPOCH) ? 0 : time.plusNanos(999_999).toEpochMilli();
  }

  /** One suspension of one agent, as it stands in the index's keys. */
  record SuspensionKey(AgentId agent, long suspension) {

    /** Reads {@link #toString} back. */
    static SuspensionKey parse(String text) {
      int bar = text.lastIndexOf('|');
      return new SuspensionKey(
          AgentId.parse(text.substring(0, bar)), Long.parseLong(text.substring(bar + 1)));
    }

    /** {@code tenant/colony/name|number}: an agent's id holds no bar. */
    @Override
    public String toString() {
      return agent.persistenceId() + "|" + suspension;
    }
  }
}
