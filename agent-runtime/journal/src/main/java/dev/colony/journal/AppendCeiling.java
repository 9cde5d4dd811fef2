package dev.colony.journal;

import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.redis.RedisConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * How many appends per second a Redis takes, with nothing around them: the journal's own script and
 * client, flat out. What persistent actors reach is to be held against it.
 *
 * @param redisUri which Redis; the logs written there are deleted again
 * @param persistenceIds over how many logs the appends are spread, at least 1
 * @param payloadBytes of each event, at least 0
 * @param appends how many in all, at least 1
 */
public record AppendCeiling(String redisUri, int persistenceIds, int payloadBytes, int appends) {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final JournalKeys KEYS = new JournalKeys(64);

  /** Refuses what is out of range. */
  public AppendCeiling {
    if (persistenceIds < 1 || payloadBytes < 0 || appends < 1) {
      throw new IllegalArgumentException(
          "persistence ids %d, payload %d, appends %d: allowed is from 1, 0, 1"
              .formatted(persistenceIds, payloadBytes, appends));
    }
  }

  /**
   * A measurement.
   *
   * @param depth how many appends were under way at any time
   */
  public record Rate(double appendsPerSecond, int connections, int depth) {}

  /** The best of several numbers of connections; each takes all the appends once. */
  public Rate best() {
    return Stream.of(1, 2, 4, 8)
        .map(connections -> measure(connections, persistenceIds))
        .max(Comparator.comparingDouble(Rate::appendsPerSecond))
        .orElseThrow();
  }

  /**
   * Appends it all, with {@code depth} appends under way at a time, at most one of each log.
   * Blocks; fails as the journal does.
   */
  public Rate measure(int connections, int depth) {
    int chains = Math.min(depth, persistenceIds);
    RedisRetry retry = new RedisRetry(TIMEOUT, Duration.ofMillis(50));
    try (RedisConnections redis = new RedisConnections(redisUri, TIMEOUT);
        AppendPipeline pipeline = new AppendPipeline(redis, connections, retry)) {
      List<Log> logs = Stream.generate(Log::new).limit(persistenceIds).toList();
      try {
        Stopwatch watch = Stopwatch.start();
        appendAll(pipeline, logs, chains).join();
        double seconds = watch.elapsedNanos() / 1e9;
        return new Rate(appends / seconds, connections, chains);
      } finally {
        logs.forEach(log -> redis.commands().unlink(log.keys()));
        redis.commands().ping().toCompletableFuture().join();
      }
    }
  }

  /** Chain k appends to the logs k, k + chains, and so on, in turn; each waits for its last one. */
  private CompletableFuture<Void> appendAll(AppendPipeline pipeline, List<Log> logs, int chains) {
    byte[] frame = frame();
    AtomicInteger left = new AtomicInteger(appends);
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int chain = 0; chain < chains; chain++) {
      List<Log> own = new ArrayList<>();
      for (int i = chain; i < logs.size(); i += chains) {
        own.add(logs.get(i));
      }
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      next(pipeline, own, 0, frame, left, end);
    }
    return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
  }

  private static void next(
      AppendPipeline pipeline,
      List<Log> logs,
      int turn,
      byte[] frame,
      AtomicInteger left,
      CompletableFuture<Void> end) {
    if (left.getAndDecrement() <= 0) {
      end.complete(null);
      return;
    }
    Log log = logs.get(turn);
    log.append(pipeline, frame)
        .whenComplete((last, failure) -> {
          if (failure != null) {
            end.completeExceptionally(failure);
          } else {
            next(pipeline, logs, (turn + 1) % logs.size(), frame, left, end);
          }
        });
  }

  private byte[] frame() {
    return new EventFrame.Event(new UUID(0, 0).toString(), 0, 0, "", "", new byte[payloadBytes])
        .encode();
  }

  /** One log and how far it has come; used by one chain, one append at a time. */
  private static final class Log {

    private final String persistenceId = "ceiling-" + UUID.randomUUID();
    private final int slot = KEYS.slot(persistenceId);
    private long last;

    CompletionStage<Long> append(AppendPipeline pipeline, byte[] frame) {
      last++;
      return pipeline.append(
          new AppendCall(
              KEYS, slot, persistenceId, last, "ceiling", Optional.empty(), List.of(frame)));
    }

    String[] keys() {
      return new String[] {KEYS.events(slot, persistenceId), KEYS.meta(slot, persistenceId)};
    }
  }
}
