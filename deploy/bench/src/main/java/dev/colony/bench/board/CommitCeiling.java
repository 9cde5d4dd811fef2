package dev.colony.bench.board;

import dev.colony.bench.RedisBenchmarkTool;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.redis.CommitScript;
import dev.colony.server.Started;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The most writes with events that this Redis takes of the blackboard's own script, to one scope
 * that no subscriber listens to: driven flat out by Lettuce over one, two and four connections and,
 * where it is on the {@code PATH}, by redis-benchmark; the highest of all. What counts is the
 * events that the server has stored, not the calls that were answered.
 */
final class CommitCeiling implements AutoCloseable {

  private static final Scope SCOPE = Scope.colony("bench", "ceiling");
  private static final int LEAST_UNDER_WAY = 64;
  private static final int MOST_KEYS = 1_000;

  private final Started started = new Started();
  private final List<Measured> drivers = new ArrayList<>();
  private final BenchServer bench;
  private final Blackboard board;

  /** What a driver has done so far. */
  private static final class Measured {

    private final CeilingDriver driver;
    private long events;
    private double seconds;
    private ClientServerTime taken = ClientServerTime.NONE;

    Measured(CeilingDriver driver) {
      this.driver = driver;
    }

    CeilingFigures figures() {
      return new CeilingFigures(
          seconds > 0 ? events / seconds : 0, driver.name(), taken.serverMicros(events));
    }
  }

  CommitCeiling(BenchServer bench, BoardLoad load) {
    this.bench = bench;
    board = bench.blackboards().open(SCOPE, "bench");
    Instant now = bench.blackboards().clock().instant();
    List<CommitScript> scripts =
        IntStream.range(0, Math.min(load.keys(), MOST_KEYS))
            .mapToObj(i ->
                new CommitScript(
                    SCOPE, "bench", LoadedScopes.key(i), load.valueBytes(), bench.settings(), now))
            .toList();
    String digest =
        bench.redis().commands().scriptLoad(scripts.getFirst().text()).toCompletableFuture().join();
    int underWay = Math.max(load.clients(), LEAST_UNDER_WAY);
    for (int connections : new int[] {1, 2, 4}) {
      add(new LettuceFlatOut(bench, digest, scripts, connections, underWay));
    }
    RedisBenchmarkTool.find(bench.server().port())
        .ifPresent(tool -> {
          for (int pipeline : new int[] {1, 16}) {
            add(new ToolFlatOut(tool, digest, scripts.getFirst(), pipeline));
          }
        });
  }

  private void add(CeilingDriver driver) {
    drivers.add(new Measured(started.add(driver)));
  }

  /** Each driver in turn makes some writes. */
  void run(int first, int end) {
    for (Measured one : drivers) {
      long before = stored();
      ClientServerTime begun = ClientServerTime.now(bench);
      one.seconds += one.driver.run(first, end);
      one.taken = one.taken.plus(ClientServerTime.now(bench).minus(begun));
      one.events += stored() - before;
    }
  }

  private long stored() {
    return board.statistics().toCompletableFuture().join().head().ordinal();
  }

  /** The highest that any driver has reached in all its turns. */
  CeilingFigures highest() {
    return drivers.stream()
        .map(Measured::figures)
        .max(Comparator.comparingDouble(CeilingFigures::writesPerSecond))
        .orElseThrow();
  }

  @Override
  public void close() {
    started.close();
  }
}
