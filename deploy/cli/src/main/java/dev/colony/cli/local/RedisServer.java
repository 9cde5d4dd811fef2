package dev.colony.cli.local;

import com.typesafe.config.Config;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.server.RedisKeeper;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The Redis of a local cluster: the one that {@code COLONY_REDIS_URL} names, else a server of our
 * own in the state directory.
 */
public final class RedisServer {

  private static final String URL_VARIABLE = "COLONY_REDIS_URL";

  /** For how long a server that has just been started may not have written its pid, in 20 ms. */
  private static final int KILL_ATTEMPTS = 25;

  private static final String SERVER = ".*/(redis|valkey)-server[^/]*";

  private final String uri;
  private final Optional<ServerSettings> own;
  private final Optional<String> cutOff;

  private RedisServer(String uri, Optional<ServerSettings> own, Optional<String> cutOff) {
    this.uri = uri;
    this.own = own;
    this.cutOff = cutOff;
  }

  /**
   * The server, started if it is ours and does not run.
   *
   * @throws CommandFailure if it does not start
   */
  public static RedisServer ensure(StateDirectory state, Config config) {
    Optional<String> named = named();
    if (named.isPresent()) {
      return new RedisServer(named.get(), Optional.empty(), Optional.empty());
    }
    try {
      ServerSettings settings = ServerSettings.fromConfig(config, state.redis());
      RedisServerProcess server = RedisServerProcess.ensure(settings);
      return new RedisServer(server.uri(), Optional.of(settings), server.cutOff());
    } catch (BlackboardException failure) {
      throw new CommandFailure(ExitCode.REDIS_UNAVAILABLE, failure.getMessage(), failure);
    }
  }

  /**
   * Where the Redis of a cluster is: of the one that is up in the directory, else the named one,
   * else a server of our own that still runs there. Starts nothing.
   */
  public static Optional<String> find(StateDirectory state, Config config) {
    return UpRecord.find(state)
        .map(record -> uriOf(record, state))
        .or(RedisServer::named)
        .or(() ->
            ownRuns(state, config) ? RedisServerProcess.uriOf(state.redis()) : Optional.empty());
  }

  /** Where the Redis of the cluster that is up is, with the password that its clients show. */
  static String uriOf(UpRecord record, StateDirectory state) {
    return Optional.of(record)
        .filter(UpRecord::ownRedis)
        .flatMap(own -> RedisServerProcess.uriOf(state.redis()))
        .orElseGet(record::redisUri);
  }

  /**
   * Kills the server of our own that runs in the directory, or that is about to; waits half a
   * second for that one. What it has acknowledged is on the disk.
   */
  static void kill(StateDirectory state) {
    for (int i = 0; i < KILL_ATTEMPTS && named().isEmpty() && !killed(state); i++) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private static boolean killed(StateDirectory state) {
    try {
      String pid = Files.readString(state.redis().resolve("redis.pid")).strip();
      // A pid that an earlier server has left may be another program's.
      return ProcessHandle.of(Long.parseLong(pid))
          .filter(
              process -> process.info().command().filter(name -> name.matches(SERVER)).isPresent())
          .map(ProcessHandle::destroyForcibly)
          .orElse(false);
    } catch (IOException | NumberFormatException notWritten) {
      return false;
    }
  }

  private static Optional<String> named() {
    return Optional.ofNullable(System.getenv(URL_VARIABLE))
        .map(String::strip)
        .filter(url -> !url.isEmpty());
  }

  /** Whether a server of our own runs in the directory; one that is slow to answer does. */
  private static boolean ownRuns(StateDirectory state, Config config) {
    return !(RedisServerProcess.look(ServerSettings.fromConfig(config, state.redis()))
        instanceof RedisServerProcess.Found.None);
  }

  /**
   * Keeps the server of a directory running, where the one at this address is it; closing what is
   * returned ends that.
   *
   * @param notice told when it had to be started again
   */
  public static AutoCloseable keep(
      StateDirectory state, Config config, String uri, Consumer<String> notice) {
    boolean own =
        ownRuns(state, config) && RedisServerProcess.uriOf(state.redis()).equals(Optional.of(uri));
    return own
        ? new RedisKeeper(ServerSettings.fromConfig(config, state.redis()), notice)
        : () -> {};
  }

  public String uri() {
    return uri;
  }

  /** As a record holds it: the password of a server of ours stands in its own directory alone. */
  String recorded() {
    return isOwn() ? uri.replaceFirst("://[^/]*@", "://") : uri;
  }

  /** What the start of a server of ours has cut off its append-only file, in one line. */
  Optional<String> cutOff() {
    return cutOff;
  }

  boolean isOwn() {
    return own.isPresent();
  }

  /**
   * Ends the server of the directory if it is ours, also one that was started in place of the one
   * that was there at first; what it holds is on the disk.
   */
  public void stop() {
    own.ifPresent(RedisServerProcess::stop);
  }
}
