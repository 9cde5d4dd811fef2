package dev.colony.bench.resume;

import dev.colony.blackboard.redis.RedisConnections;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The least that a resumption can take: the round trips that none can do without, one after the
 * other, with nothing around them. Two are writes: the signal, and that the agent is claimed and
 * runs. Three are reads: of the inbox, the directory, and the snapshot with the end of the log.
 */
final class RoundTrips {

  private static final int WRITES = 2;
  private static final int READS = 3;
  private static final int RECORD_BYTES = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private RoundTrips() {}

  /**
   * Blocks until so many were done at that rate.
   *
   * @param snapshotBytes of what one of the reads reads
   */
  static Delays measure(String redisUri, int times, int perSecond, int snapshotBytes) {
    Delays delays = new Delays();
    try (RedisConnections redis = new RedisConnections(redisUri, PATIENCE)) {
      write(redis, "bench:snapshot", snapshotBytes).toCompletableFuture().join();
      CompletableFuture<?>[] all = new CompletableFuture<?>[times];
      new EvenRate(perSecond)
          .run(
              times,
              (number, due) ->
                  all[number] =
                      one(redis, "bench:" + number)
                          .thenRun(() -> delays.add(System.nanoTime() - due))
                          .toCompletableFuture());
      CompletableFuture.allOf(all).join();
    }
    return delays;
  }

  private static CompletionStage<?> one(RedisConnections redis, String key) {
    CompletionStage<?> chain = write(redis, key, RECORD_BYTES);
    for (int read = 0; read < READS; read++) {
      chain = chain.thenCompose(done -> redis.commands().get("bench:snapshot"));
    }
    for (int write = 1; write < WRITES; write++) {
      chain = chain.thenCompose(done -> write(redis, key, RECORD_BYTES));
    }
    return chain;
  }

  private static CompletionStage<?> write(RedisConnections redis, String key, int bytes) {
    return redis.commands().set(key, new byte[bytes]);
  }
}
