package dev.colony.blackboard.server;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

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

  /** When the server brings an append to the disk ({@code appendfsync}). */
  public enum Fsync {
    /**
     * Before it acknowledges a write: what is acknowledged survives a crash of server and machine.
     */
    ALWAYS,
    /** Once a second: a crash of the machine may lose the last second. */
    EVERYSEC,
    /** When the operating system sees fit. */
    NO;

    /** The word that Redis and our settings use. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Section("colony.blackboard.server")
  private record Configured(Fsync fsync) {}

  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration STOP = Duration.ofSeconds(20);

  public ServerSettings {
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException("the port is " + port + ", but must be 0 to 65535");
    }
    directory = directory.toAbsolutePath().normalize();
  }

  /** The defaults, with a free port, in this directory. */
  public static ServerSettings in(Path directory) {
    return new ServerSettings(directory, 0, Fsync.ALWAYS, false, true, START, STOP);
  }

  /** Reads {@code colony.blackboard.server}; the directory is the caller's to choose. */
  public static ServerSettings fromConfig(Config config, Path directory) {
    return in(directory).withFsync(Settings.read(Configured.class, config).fsync());
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
}
