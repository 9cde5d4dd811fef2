package dev.colony.journal;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * How the journal and the snapshot store use Redis; the keys are described in the module's {@code
 * colony-journal.conf} under {@link #PATH}.
 *
 * @param redisUri for example {@code redis://127.0.0.1:6379}
 * @param commandTimeout how long one operation may take, reconnects and retries included
 * @param retryDelay between two attempts of an operation that Redis could not take yet
 * @param slots into how many hash tags the persistence ids are divided; all nodes agree
 * @param connections how many pipelined connections carry appends
 * @param replayBatch how many entries one read of a recovery fetches at most
 * @param maxEventBytes an event longer than this is rejected
 * @param maxSnapshotBytes a snapshot longer than this is refused
 * @param retention what goes when a snapshot is added
 * @param watch how it is noticed that the store has lost what it acknowledged
 */
public record JournalSettings(
    String redisUri,
    Duration commandTimeout,
    Duration retryDelay,
    int slots,
    int connections,
    int replayBatch,
    int maxEventBytes,
    int maxSnapshotBytes,
    Retention retention,
    Watch watch) {

  /**
   * How the node notices that the store has gone back to an older state.
   *
   * @param interval between two ticks of the node, to which it is noticed where the node that wrote
   *     has died
   * @param hold how long recoveries wait after that for the other nodes to find what was lost
   * @param logs of how many logs what was acknowledged is remembered
   * @param bytes how much of it may be remembered
   * @param events how many of one log
   * @param writes how many writes of agents to the blackboard are remembered
   * @param writesKept for how long
   */
  public record Watch(
      Duration interval,
      Duration hold,
      int logs,
      long bytes,
      int events,
      int writes,
      Duration writesKept) {

    static Watch fromConfig(Config journal) {
      Config watch = journal.getConfig("watch");
      return new Watch(
          watch.getDuration("interval"),
          watch.getDuration("hold"),
          watch.getInt("remembered-logs"),
          watch.getBytes("remembered-bytes"),
          watch.getInt("remembered-events"),
          watch.getInt("remembered-writes"),
          watch.getDuration("remember-writes-for"));
    }

    /** Refuses what is out of range, naming the path, the value and the range. */
    public Watch {
      String path = PATH + ".watch";
      require(isPositive(interval), path + ".interval", interval, "over 0");
      require(!hold.isNegative(), path + ".hold", hold, "0 or more");
      require(logs >= 1 && logs <= 10_000_000, path + ".remembered-logs", logs, "1 to 10000000");
      require(bytes >= 0, path + ".remembered-bytes", bytes, "0 or more");
      require(events >= 1 && events <= 100_000, path + ".remembered-events", events, "1 to 100000");
      require(
          writes >= 1 && writes <= 1_000_000, path + ".remembered-writes", writes, "1 to 1000000");
      require(isPositive(writesKept), path + ".remember-writes-for", writesKept, "over 0");
    }
  }

  /** Where the settings stand; also the id of the journal plugin. */
  public static final String PATH = "colony.agent.journal";

  /** Where the snapshot store's settings stand; also the id of its plugin. */
  public static final String SNAPSHOT_PATH = "colony.agent.snapshot-store";

  /** Refuses what is out of range, naming the path, the value and the range. */
  public JournalSettings {
    require(!redisUri.isBlank(), PATH + ".redis-uri", redisUri, "a Redis URI");
    require(isPositive(commandTimeout), PATH + ".command-timeout", commandTimeout, "over 0");
    require(isPositive(retryDelay), PATH + ".retry-delay", retryDelay, "over 0");
    require(slots >= 1 && slots <= 16_384, PATH + ".slots", slots, "1 to 16384");
    require(connections >= 1 && connections <= 64, PATH + ".connections", connections, "1 to 64");
    require(
        replayBatch >= 1 && replayBatch <= 100_000,
        PATH + ".replay-batch",
        replayBatch,
        "1 to 100000");
    require(maxEventBytes >= 1, PATH + ".max-event-bytes", maxEventBytes, "1B to 2GiB");
    require(maxSnapshotBytes >= 1, SNAPSHOT_PATH + ".max-bytes", maxSnapshotBytes, "1B to 2GiB");
  }

  /** Reads both sections from an actor system's configuration. */
  public static JournalSettings fromConfig(Config root) {
    Config journal = root.getConfig(PATH);
    return new JournalSettings(
        journal.getString("redis-uri"),
        journal.getDuration("command-timeout"),
        journal.getDuration("retry-delay"),
        journal.getInt("slots"),
        journal.getInt("connections"),
        journal.getInt("replay-batch"),
        bytes(root, PATH + ".max-event-bytes"),
        bytes(root, SNAPSHOT_PATH + ".max-bytes"),
        Retention.fromConfig(root),
        Watch.fromConfig(journal));
  }

  private static int bytes(Config root, String path) {
    long bytes = root.getBytes(path);
    require(bytes <= Integer.MAX_VALUE, path, bytes, "1B to 2GiB");
    return (int) bytes;
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isNegative() && !duration.isZero();
  }

  private static void require(boolean holds, String path, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException(path + " is " + value + ", allowed is " + allowed);
    }
  }
}
