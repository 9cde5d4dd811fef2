package dev.colony.deploy.local;

import com.typesafe.config.Config;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import java.util.Optional;

/**
 * The Redis of a local cluster: the one that {@code COLONY_REDIS_URL} names, else a server of our
 * own in the state directory.
 */
public final class RedisServer {

  private static final String URL_VARIABLE = "COLONY_REDIS_URL";

  private final String uri;
  private final Optional<RedisServerProcess> own;

  private RedisServer(String uri, Optional<RedisServerProcess> own) {
    this.uri = uri;
    this.own = own;
  }

  /**
   * The server, started if it is ours and does not run.
   *
   * @throws CommandFailure if it does not start
   */
  public static RedisServer ensure(StateDirectory state, Config config) {
    String named = System.getenv(URL_VARIABLE);
    if (named != null && !named.isBlank()) {
      return new RedisServer(named.strip(), Optional.empty());
    }
    try {
      RedisServerProcess process =
          RedisServerProcess.ensure(ServerSettings.fromConfig(config, state.redis()));
      return new RedisServer(process.uri(), Optional.of(process));
    } catch (BlackboardException failure) {
      throw new CommandFailure(ExitCode.REDIS_UNAVAILABLE, failure.getMessage(), failure);
    }
  }

  /** The server of our own that runs in the directory, if there is one. */
  static Optional<RedisServerProcess> findOwn(StateDirectory state, Config config) {
    return RedisServerProcess.find(ServerSettings.fromConfig(config, state.redis()));
  }

  public String uri() {
    return uri;
  }

  boolean isOwn() {
    return own.isPresent();
  }

  /** Ends the server if it is ours; what it holds is on the disk. */
  void stop() {
    own.ifPresent(RedisServerProcess::stop);
  }
}
