package dev.colony.blackboard.server;

import dev.colony.blackboard.BlackboardException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the state directory's Redis server again when it has died, from its file and on its port,
 * so that all connections come back. Any number of processes may keep the same server: the first
 * starts it, the others find it. A server whose process runs has not died, however long it takes to
 * answer: it is waited for, and nothing is started beside it.
 */
public final class RedisKeeper implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RedisKeeper.class);
  private static final long LOOK_EVERY_MILLIS = 1_000;

  /** A busy machine misses an answer now and then. */
  private static final int UNANSWERED_BEFORE_SAID = 2;

  private final ServerSettings settings;
  private final Consumer<String> notice;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("redis-keeper").factory());

  /** Looks in a row that had no answer; of the timer's thread. */
  private int unanswered;

  /**
   * @param notice told when the server had to be started again, and once when it does not answer
   */
  public RedisKeeper(ServerSettings settings, Consumer<String> notice) {
    this.settings = settings;
    this.notice = notice;
    timer.scheduleWithFixedDelay(
        this::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    try {
      switch (RedisServerProcess.look(settings)) {
        case RedisServerProcess.Found.Answers(RedisServerProcess server) -> {
          if (unanswered >= UNANSWERED_BEFORE_SAID) {
            notice.accept("Redis at " + server.address() + " answers again");
          }
          unanswered = 0;
        }
        case RedisServerProcess.Found.Silent(String address, long pid) -> {
          unanswered++;
          if (unanswered == UNANSWERED_BEFORE_SAID) {
            notice.accept(
                "Redis at %s does not answer (pid %d runs); it is waited for"
                    .formatted(address, pid));
          }
        }
        case RedisServerProcess.Found.None none -> {
          unanswered = 0;
          RedisServerProcess server = RedisServerProcess.ensure(settings);
          notice.accept("Redis at " + server.address() + " had died; it runs again");
          server.cutOff().ifPresent(notice);
        }
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
