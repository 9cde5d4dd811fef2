package dev.colony.blackboard.server;

import com.typesafe.config.Config;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * How a Redis server of our own is started.
 *
 * @param directory its state directory: data, log, pid, port and the unpacked binary; created where
 *     it is missing
 * @param port on 127.0.0.1, 0 to 65535; 0 takes a free one at the first start and keeps it
 * @param fsync when an append reaches the disk
 * @param carried whether the carried binary is used even where a newer one is on the PATH
 * @param password whether clients must show a password, made at the first start; without one every
 *     user of the machine may read and write all that the server holds
 * @param startTimeout how long a start may take, loading included; also how long to wait for
 *     another process that is starting the same server
 * @param stopTimeout how long a clean stop may take
 */
public record ServerSettings(
    Path directory,
    int port,
    Fsync fsync,
    boolean carried,
    boolean password,
    Duration startTimeout,
    Duration stopTimeout) {

  private static final String ROOT = "colony.blackboard.server";

  public ServerSettings {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(fsync, "fsync");
    check(port >= 0 && port <= 65535, "port", port, "0 to 65535");
    check(positive(startTimeout), "start-timeout", startTimeout, "more than 0");
    check(positive(stopTimeout), "stop-timeout", stopTimeout, "more than 0");
    directory = directory.toAbsolutePath().normalize();
  }

  /** The defaults, with a free port, in this directory. */
  public static ServerSettings in(Path directory) {
    return new ServerSettings(
        directory, 0, Fsync.ALWAYS, false, true, Duration.ofSeconds(60), Duration.ofSeconds(20));
  }

  /** Reads {@code colony.blackboard.server}; the directory is the caller's to choose. */
  public static ServerSettings fromConfig(Config config, Path directory) {
    Config server = config.getConfig(ROOT);
    return new ServerSettings(
        directory,
        server.getInt("port"),
        fsync(server.getString("fsync")),
        server.getBoolean("carried"),
        true,
        server.getDuration("start-timeout"),
        server.getDuration("stop-timeout"));
  }

  public ServerSettings withPort(int newPort) {
    return new ServerSettings(
        directory, newPort, fsync, carried, password, startTimeout, stopTimeout);
  }

  public ServerSettings withFsync(Fsync newFsync) {
    return new ServerSettings(
        directory, port, newFsync, carried, password, startTimeout, stopTimeout);
  }

  public ServerSettings withCarried(boolean newCarried) {
    return new ServerSettings(
        directory, port, fsync, newCarried, password, startTimeout, stopTimeout);
  }

  /** For a server that lives as long as a test or a benchmark, which tools are to reach as well. */
  public ServerSettings withoutPassword() {
    return new ServerSettings(directory, port, fsync, carried, false, startTimeout, stopTimeout);
  }

  public ServerSettings withTimeouts(Duration start, Duration stop) {
    return new ServerSettings(directory, port, fsync, carried, password, start, stop);
  }

  private static Fsync fsync(String word) {
    for (Fsync fsync : Fsync.values()) {
      if (fsync.word().equals(word)) {
        return fsync;
      }
    }
    throw refused("fsync", word, "always, everysec or no");
  }

  private static boolean positive(Duration duration) {
    return duration.compareTo(Duration.ZERO) > 0;
  }

  private static void check(boolean holds, String key, Object value, String allowed) {
    if (!holds) {
      throw refused(key, value, allowed);
    }
  }

  private static IllegalArgumentException refused(String key, Object value, String allowed) {
    return new IllegalArgumentException(
        ROOT + "." + key + " is " + value + ", but must be " + allowed);
  }
}
