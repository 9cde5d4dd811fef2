package dev.colony.journal;

import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import java.util.Locale;

/** Prints the ceiling over connections. Not a test; run its main. Argument: fsync. */
final class CeilingBench {

  private CeilingBench() {}

  public static void main(String[] arguments) {
    Fsync fsync = Fsync.valueOf(arguments[0].toUpperCase(Locale.ROOT));
    try (TestRedis redis = TestRedis.start(fsync)) {
      AppendCeiling ceiling = new AppendCeiling(redis.uri(), 200, 1024, 100_000);
      for (int round = 0; round < 4; round++) {
        double before = redisSeconds(redis);
        for (int connections : new int[] {1, 2, 4, 8}) {
          AppendCeiling.Rate rate = ceiling.measure(connections, 200);
          double after = redisSeconds(redis);
          System.out.printf(
              "%s connections=%d: %.0f appends/s, %.1f us in redis%n",
              fsync, connections, rate.appendsPerSecond(), (after - before) * 10);
          before = after;
        }
      }
    }
  }

  private static double redisSeconds(TestRedis redis) {
    return ProcessHandle.of(redis.server().pid())
            .flatMap(server -> server.info().totalCpuDuration())
            .orElseThrow()
            .toNanos()
        / 1e9;
  }
}
