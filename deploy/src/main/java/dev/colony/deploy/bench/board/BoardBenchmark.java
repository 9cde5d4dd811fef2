package dev.colony.deploy.bench.board;

import com.typesafe.config.Config;
import dev.colony.deploy.bench.Ceiling;
import java.nio.file.Path;

/**
 * Writes with events per second and event latency, through the public interface, on a Redis server
 * of the benchmark's own.
 */
public final class BoardBenchmark {

  private static final int WARM_UP_ROUNDS = 3;
  private static final int WARM_UP_OPS = 20_000;

  private final Path directory;
  private final Config config;

  /**
   * @param directory takes the server's data
   */
  public BoardBenchmark(Path directory, Config config) {
    this.directory = directory;
    this.config = config;
  }

  /** Blocks until all is measured; each phase has a limit of ten minutes. */
  public BoardReport run(BoardLoad load) {
    try (BenchServer bench = new BenchServer(directory, config, load.fsync())) {
      for (int round = 0; round < WARM_UP_ROUNDS; round++) {
        BoardLoad some = load.withOps(Math.min(load.ops(), WARM_UP_OPS));
        FullLoad.measure(bench.blackboards(), "warm-up-" + round, some);
      }
      FullLoad full = FullLoad.measure(bench.blackboards(), "full", load);
      HalfLoad half =
          HalfLoad.measure(
              bench.blackboards(), bench.redis(), "half", load, full.writesPerSecond() / 2);
      Ceiling ceiling = CommitCeiling.measure(bench, load);
      return new BoardReport(load, bench.server().version(), full, half, ceiling);
    }
  }
}
