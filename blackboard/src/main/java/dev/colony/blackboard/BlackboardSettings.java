package dev.colony.blackboard;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import java.time.Duration;

/**
 * How a backend keeps entries, events and requests.
 *
 * @param buckets how many inbox buckets there are; all members of a cluster agree on it
 * @param maxValueBytes the longest value of an entry, as JSON
 * @param events what is stored of a scope's events
 * @param inbox what may wait in the inbox, and what is kept of what could not be delivered
 * @param payloads where large values lie
 * @param bounds what is not configured
 */
public record BlackboardSettings(
    int buckets,
    int maxValueBytes,
    Events events,
    Inbox inbox,
    PayloadSettings payloads,
    Bounds bounds) {

  /**
   * How many events of a scope are stored; the oldest go first. The limits are kept approximately:
   * somewhat more may be there.
   *
   * @param kept for subscribers that fall behind or come back
   * @param keptForDurable at most, while a durable subscription has not acknowledged them; at least
   *     {@code kept}
   * @param keptBytes the bytes that the stored events may take together, whatever their number
   */
  public record Events(
      @Range(min = "1", max = "2147483647") int kept,
      @Range(min = "1", max = "2147483647") int keptForDurable,
      @Range(min = "1 B", max = "1 TiB") long keptBytes) {

    public Events {
      if (keptForDurable < kept) {
        throw new IllegalArgumentException(
            "kept-for-durable is %d, but must be at least kept (%d)"
                .formatted(keptForDurable, kept));
      }
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
      @Range(min = "1", max = "10000000") int mostPerRecipient,
      @Range(min = "1", max = "10000000") int mostPerTenant,
      @Range(min = "1", max = "10000000") int mostPerBucket,
      @Range(min = "1", max = "10000000") int deadLetters,
      @Range(min = "1 s", max = "36500 d") Duration keepDeadLetters) {}

  /**
   * What no operator has a reason to change; tests do.
   *
   * @param subscriber what waits in memory for one subscriber
   * @param topics how processes know of each other's listeners
   * @param sweepInterval how often stored streams are looked at for events whose push was lost, and
   *     all buckets for entries that have expired since the process that wrote them ended
   * @param expiryInterval how often entries are looked for whose time to live is over
   */
  public record Bounds(
      Subscriber subscriber, Topics topics, Duration sweepInterval, Duration expiryInterval) {

    static final Bounds USUAL =
        new Bounds(
            new Subscriber(2048, 4 << 20),
            new Topics(Duration.ofSeconds(15), 10_000),
            Duration.ofSeconds(5),
            Duration.ofMillis(250));
  }

  /**
   * What waits in memory for one subscriber; beyond it, it is served from the stored stream, and as
   * much again is held while that is read.
   *
   * @param buffer in events
   * @param bufferBytes in bytes of values; a single event may be larger
   */
  public record Subscriber(int buffer, long bufferBytes) {}

  /**
   * How processes know of each other's listeners to {@linkplain dev.colony.blackboard.Topics
   * topics}.
   *
   * @param lease how long a listener counts as there after it was last heard of
   * @param most how many topics with listeners a process knows of; nothing is sent to others
   */
  public record Topics(Duration lease, int most) {}

  @Section("colony.blackboard")
  private record Configured(
      @Range(min = "1", max = "4096") int buckets,
      @Range(min = "1 B", max = "512 MiB") int maxValueBytes,
      Events events,
      Inbox inbox) {}

  /** The defaults of {@code reference.conf}. */
  public static final BlackboardSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(BlackboardSettings.class.getClassLoader()));

  /** Reads {@code colony.blackboard} and {@code colony.payloads}. */
  public static BlackboardSettings fromConfig(Config config) {
    Configured read = Settings.read(Configured.class, config);
    return new BlackboardSettings(
        read.buckets(),
        read.maxValueBytes(),
        read.events(),
        read.inbox(),
        Settings.read(PayloadSettings.class, config),
        Bounds.USUAL);
  }

  public BlackboardSettings withBuckets(int newBuckets) {
    return new BlackboardSettings(newBuckets, maxValueBytes, events, inbox, payloads, bounds);
  }

  public BlackboardSettings withMaxValueBytes(int newMaxValueBytes) {
    return new BlackboardSettings(buckets, newMaxValueBytes, events, inbox, payloads, bounds);
  }

  public BlackboardSettings withEvents(Events newEvents) {
    return new BlackboardSettings(buckets, maxValueBytes, newEvents, inbox, payloads, bounds);
  }

  public BlackboardSettings withInbox(Inbox newInbox) {
    return new BlackboardSettings(buckets, maxValueBytes, events, newInbox, payloads, bounds);
  }

  public BlackboardSettings withPayloads(PayloadSettings newPayloads) {
    return new BlackboardSettings(buckets, maxValueBytes, events, inbox, newPayloads, bounds);
  }

  public BlackboardSettings withSubscriber(Subscriber subscriber) {
    return withBounds(
        new Bounds(subscriber, bounds.topics, bounds.sweepInterval, bounds.expiryInterval));
  }

  public BlackboardSettings withTopics(Topics topics) {
    return withBounds(
        new Bounds(bounds.subscriber, topics, bounds.sweepInterval, bounds.expiryInterval));
  }

  public BlackboardSettings withSweepInterval(Duration interval) {
    return withBounds(
        new Bounds(bounds.subscriber, bounds.topics, interval, bounds.expiryInterval));
  }

  public BlackboardSettings withExpiryInterval(Duration interval) {
    return withBounds(new Bounds(bounds.subscriber, bounds.topics, bounds.sweepInterval, interval));
  }

  private BlackboardSettings withBounds(Bounds newBounds) {
    return new BlackboardSettings(buckets, maxValueBytes, events, inbox, payloads, newBounds);
  }
}
