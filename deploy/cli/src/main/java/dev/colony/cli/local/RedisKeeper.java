package dev.colony.cli.local;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the state directory's Redis server again when it has died, from its file and on its port,
 * so that all connections come back. Any number of processes may keep the same server: the first
 * starts it, the others find it.
 */
public final class RedisKeeper implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RedisKeeper.class);
  private static final long LOOK_EVERY_MILLIS = 1_000;

  private final ServerSettings settings;
  private final Consumer<String> notice;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("redis-keeper").factory());

  /**
   * @param notice told when the server had to be started again
   */
  RedisKeeper(ServerSettings settings, Consumer<String> notice) {
    this.settings = settings;
    this.notice = notice;
    timer.scheduleWithFixedDelay(
        this::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    try {
      if (RedisServerProcess.find(settings).isEmpty()) {
        RedisServerProcess server = RedisServerProcess.ensure(settings);
        notice.accept("Redis at " + server.address() + " had died; it runs again");
        server.cutOff().ifPresent(notice);
      }
    } catch (BlackboardException failure) {
      LOG.warn("the Redis server does not start yet: {}", failure.getMessage());
    }
  }

  /** Starts nothing any more; the server stays as it is. */
  @Override
  public void close() {
    timer.shutdownNow();
    try {
      if (!timer.awaitTermination(settings.startTimeout().toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("a start of the Redis server is still under way");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
