package dev.colony.blackboard;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.clock.ClockSettings;
import java.time.Duration;

/**
 * How a backend keeps entries, events and requests.
 *
 * @param buckets how many inbox buckets there are, 1 to 4096; all members of a cluster agree on it
 * @param maxValueBytes the longest value of an entry, as JSON
 * @param events what is stored of a scope's events
 * @param subscriber what waits in memory for one subscriber
 * @param topics how processes know of each other's listeners
 * @param sweepInterval how often stored streams are looked at for events whose push was lost
 * @param expiryInterval how often entries are looked for whose time to live is over
 * @param retry how transactions that met a conflict are tried again
 * @param inbox what may wait in the inbox, and what is kept of what could not be delivered
 * @param clock how the cluster time is kept
 */
public record BlackboardSettings(
    int buckets,
    int maxValueBytes,
    Events events,
    Subscriber subscriber,
    Topics topics,
    Duration sweepInterval,
    Duration expiryInterval,
    RetryPolicy retry,
    Inbox inbox,
    ClockSettings clock) {

  /**
   * How many events of a scope are stored; the oldest go first. The limits are kept approximately:
   * somewhat more may be there.
   *
   * @param kept for subscribers that fall behind or come back
   * @param keptForDurable at most, while a durable subscription has not acknowledged them; at least
   *     {@code kept}
   * @param keptBytes the bytes that the stored events may take together, whatever their number
   */
  public record Events(int kept, int keptForDurable, long keptBytes) {

    public Events {
      check(kept >= 1, "events.kept", kept, "at least 1");
      check(
          keptForDurable >= kept,
          "events.kept-for-durable",
          keptForDurable,
          "at least events.kept (" + kept + ")");
      check(keptBytes >= 1, "events.kept-bytes", keptBytes, "at least 1");
    }
  }

  /**
   * What waits in memory for one subscriber; beyond it, it is served from the stored stream.
   *
   * @param buffer in events
   * @param bufferBytes in bytes of values; a single event may be larger
   */
  public record Subscriber(int buffer, long bufferBytes) {

    public Subscriber {
      check(buffer >= 1, "subscriber.buffer", buffer, "at least 1");
      check(bufferBytes >= 1, "subscriber.buffer-bytes", bufferBytes, "at least 1");
    }
  }

  /**
   * How processes know of each other's listeners to {@linkplain dev.colony.blackboard.Topics
   * topics}.
   *
   * @param lease how long a listener counts as there after it was last heard of
   * @param most how many topics with listeners a process knows of
   */
  public record Topics(Duration lease, int most) {

    public Topics {
      check(
          lease.toMillis() >= 30 && lease.compareTo(Duration.ofHours(1)) <= 0,
          "topics.lease",
          lease,
          "30ms to 1h");
      check(most >= 1 && most <= 1_000_000, "topics.most", most, "1 to 1000000");
    }
  }

  /**
   * What may wait in one bucket of the inbox, in requests that were {@linkplain Blackboard#offer
   * offered}, and its dead letters.
   *
   * @param mostPerRecipient that wait for one recipient
   * @param mostPerTenant that wait for the recipients of one tenant in one bucket
   * @param mostPerBucket that wait in one bucket
   * @param deadLetters how many dead letters a bucket keeps; the oldest go first
   * @param keepDeadLetters how long a dead letter is kept
   */
  public record Inbox(
      int mostPerRecipient,
      int mostPerTenant,
      int mostPerBucket,
      int deadLetters,
      Duration keepDeadLetters) {

    private static final int MOST = 10_000_000;

    public Inbox {
      bounded("inbox.most-per-recipient", mostPerRecipient);
      bounded("inbox.most-per-tenant", mostPerTenant);
      bounded("inbox.most-per-bucket", mostPerBucket);
      bounded("inbox.dead-letters", deadLetters);
      check(
          keepDeadLetters.compareTo(Duration.ofSeconds(1)) >= 0
              && keepDeadLetters.compareTo(Duration.ofDays(36_500)) <= 0,
          "inbox.keep-dead-letters",
          keepDeadLetters,
          "1s to 36500d");
    }

    private static void bounded(String key, int value) {
      check(value >= 1 && value <= MOST, key, value, "1 to " + MOST);
    }
  }

  private static final String ROOT = "colony.blackboard";

  /** The defaults of {@code reference.conf}. */
  public static final BlackboardSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(BlackboardSettings.class.getClassLoader()));

  public BlackboardSettings {
    check(buckets >= 1 && buckets <= 4096, "buckets", buckets, "1 to 4096");
    check(maxValueBytes >= 1, "max-value-bytes", maxValueBytes, "at least 1");
    check(sweepInterval.toMillis() >= 1, "sweep-interval", sweepInterval, "at least 1 ms");
    check(expiryInterval.toMillis() >= 1, "expiry-interval", expiryInterval, "at least 1 ms");
  }

  /** Reads {@code colony.blackboard} and {@code colony.clock}. */
  public static BlackboardSettings fromConfig(Config config) {
    Config root = config.getConfig(ROOT);
    return new BlackboardSettings(
        root.getInt("buckets"),
        root.getInt("max-value-bytes"),
        new Events(
            root.getInt("events.kept"),
            root.getInt("events.kept-for-durable"),
            root.getLong("events.kept-bytes")),
        new Subscriber(root.getInt("subscriber.buffer"), root.getLong("subscriber.buffer-bytes")),
        new Topics(root.getDuration("topics.lease"), root.getInt("topics.most")),
        root.getDuration("sweep-interval"),
        root.getDuration("expiry-interval"),
        retry(root.getConfig("transaction")),
        new Inbox(
            root.getInt("inbox.most-per-recipient"),
            root.getInt("inbox.most-per-tenant"),
            root.getInt("inbox.most-per-bucket"),
            root.getInt("inbox.dead-letters"),
            root.getDuration("inbox.keep-dead-letters")),
        ClockSettings.fromConfig(config));
  }

  private static RetryPolicy retry(Config transaction) {
    try {
      return new RetryPolicy(
          transaction.getInt("attempts"),
          transaction.getDuration("pause-min"),
          transaction.getDuration("pause-max"));
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(ROOT + ".transaction: " + wrong.getMessage(), wrong);
    }
  }

  public BlackboardSettings withBuckets(int newBuckets) {
    return new BlackboardSettings(
        newBuckets,
        maxValueBytes,
        events,
        subscriber,
        topics,
        sweepInterval,
        expiryInterval,
        retry,
        inbox,
        clock);
  }

  public BlackboardSettings withMaxValueBytes(int newMaxValueBytes) {
    return new BlackboardSettings(
        buckets,
        newMaxValueBytes,
        events,
        subscriber,
        topics,
        sweepInterval,
        expiryInterval,
        retry,
        inbox,
        clock);
  }

  public BlackboardSettings withEvents(Events newEvents) {
    return new BlackboardSettings(
        buckets,
        maxValueBytes,
        newEvents,
        subscriber,
        topics,
        sweepInterval,
        expiryInterval,
        retry,
        inbox,
        clock);
  }

  public BlackboardSettings withSubscriber(Subscriber newSubscriber) {
    return new BlackboardSettings(
        buckets,
        maxValueBytes,
        events,
        newSubscriber,
        topics,
        sweepInterval,
        expiryInterval,
        retry,
        inbox,
        clock);
  }

  public BlackboardSettings withTopics(Topics newTopics) {
    return new BlackboardSettings(
        buckets,
        maxValueBytes,
        events,
        subscriber,
        newTopics,
        sweepInterval,
        expiryInterval,
        retry,
        inbox,
        clock);
  }

  public BlackboardSettings withSweepInterval(Duration newSweepInterval) {
    return new BlackboardSettings(
        buckets,
        maxValueBytes,
        events,
        subscriber,
        topics,
        newSweepInterval,
        expiryInterval,
        retry,
        inbox,
        clock);
  }

  public BlackboardSettings withExpiryInterval(Duration newExpiryInterval) {
    return new BlackboardSettings(
        buckets,
        maxValueBytes,
        events,
        subscriber,
        topics,
        sweepInterval,
        newExpiryInterval,
        retry,
        inbox,
        clock);
  }

  public BlackboardSettings withRetry(RetryPolicy newRetry) {
    return new BlackboardSettings(
        buckets,
        maxValueBytes,
        events,
        subscriber,
        topics,
        sweepInterval,
        expiryInterval,
        newRetry,
        inbox,
        clock);
  }

  public BlackboardSettings withInbox(Inbox newInbox) {
    return new BlackboardSettings(
        buckets,
        maxValueBytes,
        events,
        subscriber,
        topics,
        sweepInterval,
        expiryInterval,
        retry,
        newInbox,
        clock);
  }

  private static void check(boolean holds, String key, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException(
          ROOT + "." + key + " is " + value + ", but must be " + allowed);
    }
  }
}
