package dev.colony.bench.board;

import com.typesafe.config.Config;
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

  /** Blocks until all is measured; no part of it waits for more than ten minutes. */
  public BoardReport run(BoardLoad load) {
    try (BenchServer bench = new BenchServer(directory, config, load.fsync())) {
      warmUp(bench, load.withOps(Math.min(load.ops(), WARM_UP_OPS)));
      try (FullLoadRun full = new FullLoadRun(bench, "full", load);
          CommitCeiling ceiling = new CommitCeiling(bench, load)) {
        load.inRounds((first, end) -> {
          ceiling.run(first, end);
          full.run(first, end);
        });
        FullLoad reached = full.result();
        return new BoardReport(
            load,
            bench.server().version(),
            reached,
            HalfLoad.measure(
                bench.blackboards(), bench.redis(), "half", load, reached.writesPerSecond() / 2),
            ceiling.highest());
      }
    }
  }

  /**
   * What waiting for replicas costs: the full load with and without, in turns, on one server with
   * replicas. Blocks.
   */
  public ReplicaReport run(BoardLoad load, int replicas) {
    try (BenchServer bench = new BenchServer(directory.resolve("master"), config, load.fsync())) {
      for (int i = 0; i < replicas; i++) {
        bench.replicate(directory.resolve("replica-" + i), load.fsync());
      }
      try (BenchServer waiting = bench.waitingFor(replicas)) {
        BoardLoad few = load.withOps(Math.min(load.ops(), WARM_UP_OPS));
        warmUp(bench, few);
        warmUp(waiting, few);
        try (FullLoadRun alone = new FullLoadRun(bench, "alone", load);
            FullLoadRun waited = new FullLoadRun(waiting, "waited", load)) {
          load.inRounds((first, end) -> {
            alone.run(first, end);
            waited.run(first, end);
          });
          return new ReplicaReport(
              load, bench.server().version(), replicas, alone.result(), waited.result());
        }
      }
    }
  }

  private static void warmUp(BenchServer bench, BoardLoad load) {
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      try (FullLoadRun full = new FullLoadRun(bench, "warm-up-" + round, load)) {
        full.run(0, load.ops());
      }
    }
  }
}
