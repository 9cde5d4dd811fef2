package dev.colony.journal;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import java.time.Duration;

/**
 * How the journal and the snapshot store use Redis.
 *
 * @param redisUri for example {@code redis://127.0.0.1:6379}
 * @param commandTimeout how long one operation may take, reconnects and retries included
 * @param slots into how many hash tags the persistence ids are divided; all nodes agree
 * @param maxEventBytes an event longer than this is rejected
 * @param maxSnapshotBytes a snapshot longer than this is refused
 * @param retention what goes when a snapshot is added
 */
public record JournalSettings(
    String redisUri,
    Duration commandTimeout,
    int slots,
    int maxEventBytes,
    int maxSnapshotBytes,
    Retention retention) {

  /**
   * How much of a log is kept when a snapshot is added to it. It is the store that sees to it, in
   * the script that saves the snapshot: so that snapshots may stand at any distance from one
   * another, where Pekko's own criteria take them to be evenly spaced, and nothing is lost half.
   *
   * @param snapshots how many, the newest ones, at least 1
   * @param allEvents whether events go by their age only; otherwise those go that the oldest of
   *     these snapshots holds, once there are so many
   * @param age of the events that go, about, where they go by it: those go that are in a snapshot
   *     so old, which stays as the beginning of what can be read. To have one of about that age at
   *     any time, some between it and the newest stay, an eighth of the age apart: at most eleven
   *     in all
   */
  record Retention(int snapshots, boolean allEvents, Duration age) {}

  /** Where the settings stand; also the id of the journal plugin. */
  public static final String PATH = "colony.agent.journal";

  @Section(PATH)
  private record Log(
      String redisUri,
      @Range(min = "1 ms", max = "1 d") Duration commandTimeout,
      @Range(min = "1", max = "16384") int slots,
      @Range(min = "1 B", max = "2147483647 B") int maxEventBytes) {

    Log {
      if (redisUri.isBlank()) {
        throw new IllegalArgumentException("redis-uri is empty, but must be a Redis URI");
      }
    }
  }

  private static final int MAX_SNAPSHOT_BYTES = 16 << 20;

  @Section("colony.agent.history")
  private record History(String keep, @Range(min = "100 ms", max = "36500 d") Duration keepFor) {

    private static final int MOST_SNAPSHOTS = 1_000;

    /** The newest, and one to fall back on. */
    private static final int BESIDE_ALL_EVENTS = 2;

    History {
      boolean number = keep.matches("\\d{1,4}");
      if (!keep.equals("all")
          && (!number || Integer.parseInt(keep) < 1 || Integer.parseInt(keep) > MOST_SNAPSHOTS)) {
        throw new IllegalArgumentException(
            "keep is %s, but must be all, or 1 to %d snapshots".formatted(keep, MOST_SNAPSHOTS));
      }
    }

    Retention retention() {
      return keep.equals("all")
          ? new Retention(BESIDE_ALL_EVENTS, true, keepFor)
          : new Retention(Integer.parseInt(keep), false, keepFor);
    }
  }

  /** Whether this is the journal of the actor systems with a configuration. */
  public static boolean isPlugin(Config root) {
    return root.getString("pekko.persistence.journal.plugin").equals(PATH);
  }

  public static JournalSettings fromConfig(Config root) {
    Log log = Settings.read(Log.class, root);
    return new JournalSettings(
        log.redisUri(),
        log.commandTimeout(),
        log.slots(),
        log.maxEventBytes(),
        MAX_SNAPSHOT_BYTES,
        Settings.read(History.class, root).retention());
  }
}
