package dev.colony.blackboard;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * How a backend keeps entries, events and requests.
 *
 * @param buckets how many inbox buckets there are, 1 to 4096; all members of a cluster agree on it
 * @param eventsKept how many events of a scope are kept at least
 * @param maxValueBytes the longest value of an entry, as JSON
 * @param subscriberBuffer how many events wait in memory for one subscriber
 * @param sweepInterval how often stored streams are looked at for events whose push was lost
 * @param repeatWindow how long a write is remembered in case a reconnecting client repeats it
 */
public record BlackboardSettings(
    int buckets,
    int eventsKept,
    int maxValueBytes,
    int subscriberBuffer,
    Duration sweepInterval,
    Duration repeatWindow) {

  /** The defaults of {@code reference.conf}. */
  public static final BlackboardSettings DEFAULTS =
      new BlackboardSettings(
          32, 4096, 8 * 1024 * 1024, 256, Duration.ofSeconds(5), Duration.ofSeconds(60));

  private static final String ROOT = "colony.blackboard";

  public BlackboardSettings {
    check(buckets >= 1 && buckets <= 4096, "buckets", buckets, "1 to 4096");
    check(eventsKept >= 1, "events-kept", eventsKept, "at least 1");
    check(maxValueBytes >= 1, "max-value-bytes", maxValueBytes, "at least 1");
    check(subscriberBuffer >= 1, "subscriber-buffer", subscriberBuffer, "at least 1");
    check(sweepInterval.toMillis() >= 1, "sweep-interval", sweepInterval, "at least 1 ms");
    check(repeatWindow.toMillis() >= 1, "repeat-window", repeatWindow, "at least 1 ms");
  }

  /** Reads {@code colony.blackboard}. */
  public static BlackboardSettings fromConfig(Config config) {
    Config root = config.getConfig(ROOT);
    return new BlackboardSettings(
        root.getInt("buckets"),
        root.getInt("events-kept"),
        root.getInt("max-value-bytes"),
        root.getInt("subscriber-buffer"),
        root.getDuration("sweep-interval"),
        root.getDuration("repeat-window"));
  }

  public BlackboardSettings withBuckets(int newBuckets) {
    return new BlackboardSettings(
        newBuckets, eventsKept, maxValueBytes, subscriberBuffer, sweepInterval, repeatWindow);
  }

  public BlackboardSettings withEventsKept(int newEventsKept) {
    return new BlackboardSettings(
        buckets, newEventsKept, maxValueBytes, subscriberBuffer, sweepInterval, repeatWindow);
  }

  public BlackboardSettings withMaxValueBytes(int newMaxValueBytes) {
    return new BlackboardSettings(
        buckets, eventsKept, newMaxValueBytes, subscriberBuffer, sweepInterval, repeatWindow);
  }

  public BlackboardSettings withSubscriberBuffer(int newSubscriberBuffer) {
    return new BlackboardSettings(
        buckets, eventsKept, maxValueBytes, newSubscriberBuffer, sweepInterval, repeatWindow);
  }

  public BlackboardSettings withSweepInterval(Duration newSweepInterval) {
    return new BlackboardSettings(
        buckets, eventsKept, maxValueBytes, subscriberBuffer, newSweepInterval, repeatWindow);
  }

  private static void check(boolean holds, String key, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException(
          ROOT + "." + key + " is " + value + ", but must be " + allowed);
    }
  }
}
