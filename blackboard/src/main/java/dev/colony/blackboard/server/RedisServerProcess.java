package dev.colony.blackboard.server;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.server.ProcessState.Pause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Redis server that is a process of its own, bound to 127.0.0.1, its data an append-only file in
 * a state directory.
 *
 * <p>It belongs to the directory, not to the JVM that started it: the first to need it starts it, a
 * process that comes later finds it by the files there, and it ends by {@link #stop} alone. A
 * server that was killed is started again from its file on the port it had, so that the connections
 * of other processes come back by themselves.
 *
 * <p>Thread-safe; the methods block.
 */
public final class RedisServerProcess {

  private static final Logger LOG = LoggerFactory.getLogger(RedisServerProcess.class);

  private final ServerDirectory directory;
  private final ServerSettings settings;
  private final ServerProbe.Identity identity;
  private final int port;
  private final Optional<String> cutOff;

  private RedisServerProcess(
      ServerDirectory directory,
      ServerSettings settings,
      ServerProbe.Identity identity,
      Optional<String> cutOff) {
    this.directory = directory;
    this.settings = settings;
    this.identity = identity;
    this.port = directory.port().orElseThrow();
    this.cutOff = cutOff;
  }

  /**
   * The running server of the directory, started if it does not run. Processes that call this at
   * the same time agree on one server.
   *
   * @throws BlackboardException in one line: the directory cannot be used, the port is taken, the
   *     server does not start (with the last lines of its log), its append-only file is damaged,
   *     its password is lost, or it does not answer in time
   */
  public static RedisServerProcess ensure(ServerSettings settings) {
    ServerDirectory directory = ServerDirectory.open(settings.directory());
    ServerStart start = new ServerStart(directory, settings);
    return directory.locked(
        settings.startTimeout().toMillis(),
        () -> {
          Optional<ServerProbe.Identity> running = start.adopt();
          ServerProbe.Identity identity = running.orElseGet(start::start);
          RedisServerProcess server =
              new RedisServerProcess(directory, settings, identity, start.cutOff());
          LOG.info(
              "{} Redis {} at {} (pid {}, data in {})",
              running.isPresent() ? "found" : "started",
              identity.version(),
              server.address(),
              identity.pid(),
              directory.path());
          return server;
        });
  }

  /** What is known of the server of a directory. */
  public sealed interface Found {

    /** It runs and answers. */
    record Answers(RedisServerProcess server) implements Found {}

    /** Its process runs, but does not answer in a second: it is busy, stopped, or hangs. */
    record Silent(String address, long pid) implements Found {}

    /** None runs. */
    record None() implements Found {}
  }

  /**
   * What is known of the server of the directory; starts nothing. Up to some seconds where it
   * hangs.
   *
   * @throws BlackboardException if it runs and the directory has lost its password
   */
  public static Found look(ServerSettings settings) {
    if (!Files.isDirectory(settings.directory())) {
      return new Found.None();
    }
    ServerDirectory directory = ServerDirectory.open(settings.directory());
    if (directory.port().isEmpty()) {
      return new Found.None();
    }
    int port = directory.port().getAsInt();
    Optional<Found> found =
        ServerProbe.ask(port, directory.password())
            .filter(identity -> identity.directory().equals(directory.path().toString()))
            .map(identity ->
                new Found.Answers(
                    new RedisServerProcess(directory, settings, identity, Optional.empty())));
    if (found.isPresent()) {
      return found.get();
    }
    ServerStart.refuseUnknownPassword(directory);
    OptionalLong pid = directory.runningPid();
    return pid.isPresent() ? new Found.Silent(loopback(port), pid.getAsLong()) : new Found.None();
  }

  /**
   * The server of the directory if it runs and answers; starts nothing.
   *
   * @throws BlackboardException if it runs and the directory has lost its password
   */
  public static Optional<RedisServerProcess> find(ServerSettings settings) {
    return look(settings) instanceof Found.Answers found
        ? Optional.of(found.server())
        : Optional.empty();
  }

  /**
   * Stops the server of the directory as {@link #stop()} does, also one that does not answer yet.
   *
   * @return false if none runs
   * @throws BlackboardException if it does not end in time; it is not killed then
   */
  public static boolean stop(ServerSettings settings) {
    OptionalLong pid =
        switch (look(settings)) {
          case Found.Answers(RedisServerProcess server) -> OptionalLong.of(server.pid());
          case Found.Silent silent -> OptionalLong.of(silent.pid());
          case Found.None none -> OptionalLong.empty();
        };
    pid.ifPresent(running -> stop(ServerDirectory.open(settings.directory()), settings, running));
    return pid.isPresent();
  }

  public long pid() {
    return identity.pid();
  }

  public int port() {
    return port;
  }

  /**
   * Where clients connect and the password that they show, for example {@code
   * redis://:secret@127.0.0.1:20123}; for no command line, log or record.
   */
  public String uri() {
    return uri(directory, port);
  }

  /**
   * Where clients of the directory's server connect, whether it answers or not; empty where none
   * has ever been started there.
   */
  public static Optional<String> uriOf(Path path) {
    if (!Files.isDirectory(path)) {
      return Optional.empty();
    }
    ServerDirectory directory = new ServerDirectory(path);
    return directory.port().isEmpty()
        ? Optional.empty()
        : Optional.of(uri(directory, directory.port().getAsInt()));
  }

  private static String uri(ServerDirectory directory, int port) {
    return "redis://" + directory.password().map(it -> ":" + it + "@").orElse("") + loopback(port);
  }

  private static String loopback(int port) {
    return "127.0.0.1:" + port;
  }

  /** Where it listens, for what a person reads, for example {@code 127.0.0.1:20123}. */
  public String address() {
    return loopback(port);
  }

  /** What its operator is to be told of known holes of its version; empty where none is known. */
  public Optional<String> holes() {
    return identity.holes();
  }

  /**
   * What the start that this comes from has cut off the append-only file because a crash had torn
   * it, in one line that says where it is kept; empty where nothing was cut off.
   */
  public Optional<String> cutOff() {
    return cutOff;
  }

  /** As the server reports it, for example {@code 6.2.11}. */
  public String version() {
    return identity.version();
  }

  public Path directory() {
    return directory.path();
  }

  /** Whether this very process still answers; up to a second where it hangs. */
  public boolean alive() {
    return ServerProbe.ask(port, directory.password())
        .filter(now -> now.pid() == identity.pid())
        .isPresent();
  }

  /**
   * Lets the server bring everything to the disk and end, and waits for its end. Does nothing where
   * it has ended already.
   *
   * @throws BlackboardException if it does not end in time; it is not killed then
   */
  public void stop() {
    stop(directory, settings, identity.pid());
  }

  private static void stop(ServerDirectory directory, ServerSettings settings, long pid) {
    directory.locked(
        settings.stopTimeout().toMillis(),
        () -> {
          if (ProcessState.running(pid)) {
            end(directory, directory.port().orElseThrow(), pid, settings.stopTimeout());
          }
          return null;
        });
  }

  /** A server that is slow to answer is waited for: it is to bring what it holds to the disk. */
  private static void end(ServerDirectory directory, int port, long pid, Duration timeout) {
    Deadline deadline = Deadline.in(timeout);
    try {
      if (ServerProbe.ask(port, directory.password(), timeout)
          .filter(now -> now.pid() == pid)
          .isPresent()) {
        ServerProbe.shutdown(port, directory.password(), timeout);
      }
    } catch (IOException failure) {
      throw new BlackboardException(
          Reason.TIMEOUT,
          "the Redis server at " + loopback(port) + " does not stop: " + failure.getMessage(),
          failure);
    }
    while (ProcessState.running(pid)) {
      if (deadline.passed()) {
        throw new BlackboardException(
            Reason.TIMEOUT,
            "the Redis server at %s (pid %d) has not ended after %d s"
                .formatted(loopback(port), pid, timeout.toSeconds()));
      }
      Pause.millis(5);
    }
    LOG.info("stopped Redis at {} (pid {})", loopback(port), pid);
  }
}
