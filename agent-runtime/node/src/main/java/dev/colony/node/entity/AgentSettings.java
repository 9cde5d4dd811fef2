package dev.colony.node.entity;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import dev.colony.client.history.SnapshotSpacing;
import dev.colony.core.lifecycle.EventLimits;
import dev.colony.core.lifecycle.PageSettings;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.retry.Backoff;
import dev.colony.node.activation.ModelCaller;
import java.time.Duration;

/** The settings under {@code colony.agent}; reference.conf says what each means. */
public record AgentSettings(
    int placementUnits,
    RunLimits limits,
    int maxSnapshotBytes,
    EventLimits events,
    int maxPromptBytes,
    Duration modelCallDeadline,
    ModelCaller.ReplyPace replyParts,
    Duration passivateAfter,
    Duration leaveGrace,
    Duration modelCallGrace,
    SnapshotSpacing snapshots,
    PageSettings pages,
    Backoff journalBackoff,
    Backoff blackboardBackoff,
    Inbox inbox,
    Waker waker) {

  /** How the inbox is read. */
  public record Inbox(
      int workers,
      int batch,
      Duration sweep,
      Duration acceptTimeout,
      Duration afterLoss,
      int maxDeliveries,
      InboxBounds bounds) {}

  /** How agents with outstanding work are woken. */
  public record Waker(Duration sweep, Duration afterLoss, int batch, Duration pause) {}

  private static final Duration MILLI = Duration.ofMillis(1);
  private static final Duration TICK = Duration.ofMillis(10);
  private static final Duration MINUTES = Duration.ofMinutes(10);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int KIB = 1024;
  private static final int MIB = 1024 * KIB;

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static AgentSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent");
    return new AgentSettings(
        read.integer("placement-units", 1, 10_000),
        RunLimits.fromConfig(config),
        read.bytes("capability.max-snapshot", 0, 16 * MIB),
        new EventLimits(
            read.integer("events.batch", 1, 1_000), read.bytes("events.batch-bytes", 0, 64 * MIB)),
        read.bytes("max-prompt", KIB, 64 * MIB),
        read.duration("model-call-deadline", Duration.ofMillis(100), HOUR),
        new ModelCaller.ReplyPace(
            read.duration("reply-parts.interval", MILLI, Duration.ofMinutes(1)),
            read.integer("reply-parts.most-chars", 100, MIB)),
        read.duration("passivate-after", TICK, Duration.ofDays(1)),
        read.duration("leave-grace", Duration.ZERO, MINUTES),
        read.duration("model-call-grace", Duration.ZERO, HOUR),
        new SnapshotSpacing(read.integer("snapshot-every", 10, 100_000)),
        PageSettings.fromConfig(config),
        backoff(read, "journal-backoff"),
        backoff(read, "blackboard-backoff"),
        new Inbox(
            read.integer("inbox.workers", 1, 1_000),
            read.integer("inbox.batch", 1, 10_000),
            read.duration("inbox.sweep", TICK, HOUR),
            read.duration("inbox.accept-timeout", TICK, MINUTES),
            read.duration("inbox.after-loss", TICK, MINUTES),
            read.integer("inbox.max-deliveries", 1, 1_000),
            new InboxBounds(
                read.integer("inbox.batch", 1, 10_000),
                read.integer("inbox.batch-per-tenant", 1, 10_000),
                read.integer("inbox.batch-per-agent", 1, 10_000),
                read.integer("inbox.batch-failing", 1, 10_000),
                read.integer("inbox.held", 1, 1_000_000),
                pauses(read, "inbox.busy"),
                pauses(read, "inbox.redelivery"))),
        new Waker(
            read.duration("waker.sweep", TICK, HOUR),
            read.duration("waker.after-loss", TICK, MINUTES),
            read.integer("waker.batch", 1, 10_000),
            read.duration("waker.pause", MILLI, Duration.ofMinutes(1))));
  }

  private static InboxBounds.Pauses pauses(SettingsReader read, String key) {
    Duration shortest = read.duration(key + ".shortest", TICK, HOUR);
    return new InboxBounds.Pauses(shortest, read.duration(key + ".longest", shortest, HOUR));
  }

  private static Backoff backoff(SettingsReader read, String key) {
    Duration shortest = read.duration(key + ".shortest", MILLI, HOUR);
    return new Backoff(shortest, read.duration(key + ".longest", shortest, HOUR));
  }
}
