package dev.colony.server.node;

import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.redis.RedisConnections;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in a node's log when Redis does not answer and when it does again, after how long, and when
 * another process has taken a server's place: it was started anew, or a replica was promoted. One
 * line each, however many connections were lost. Thread-safe.
 */
final class RedisLog {

  private static final Logger LOG = LoggerFactory.getLogger(RedisLog.class);

  private final RedisConnections redis;
  private final Duration silentAfter;
  private final AtomicReference<Set<String>> known = new AtomicReference<>(Set.of());
  private final AtomicBoolean looking = new AtomicBoolean();
  private volatile Stopwatch silence;

  private RedisLog(RedisConnections redis) {
    this.redis = redis;
    this.silentAfter = redis.settings().bounds().silentAfter();
  }

  static void follow(RedisConnections redis) {
    RedisLog log = new RedisLog(redis);
    redis.runIds().thenAccept(log.known::set);
    redis.onAvailability(log::changed);
    redis.onLost(log::look);
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f", time.toMillis() / 1e3);
  }

  private void changed(boolean answers) {
    if (answers) {
      LOG.warn(
          "Redis at {} answers again, after {} s",
          redis.address(),
          seconds(silence.elapsed().plus(silentAfter)));
      look();
    } else {
      silence = Stopwatch.start();
      LOG.warn(
          "Redis at {} has not answered for {} s: what needs it waits",
          redis.address(),
          seconds(silentAfter));
    }
  }

  /** After a connection was lost: the question waits until Redis is back, or fails. */
  private void look() {
    if (looking.compareAndSet(false, true)) {
      redis
          .runIds()
          .whenComplete((ids, failure) -> {
            looking.set(false);
            if (failure == null) {
              Set<String> before = known.getAndSet(ids);
              if (!before.isEmpty() && !before.equals(ids)) {
                LOG.warn(
                    "Redis at {} is another process than before: it was started anew, or a replica"
                        + " was promoted",
                    redis.address());
              }
            }
          });
    }
  }
}
