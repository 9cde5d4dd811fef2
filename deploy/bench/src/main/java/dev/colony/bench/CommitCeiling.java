package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.BoardBench.BenchServer;
import dev.colony.bench.BoardBench.BoardLoad;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.redis.CommitScript;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.node.Started;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * The most writes with events that this Redis takes of the blackboard's own script, to one scope
 * that no subscriber listens to: driven flat out by Lettuce over one, two and four connections with
 * nothing around it; the highest of all. What counts is the events that the server has stored, not
 * the calls that were answered.
 */
final class CommitCeiling implements AutoCloseable {

  private static final Scope SCOPE = Scope.colony("bench", "ceiling");
  private static final int LEAST_UNDER_WAY = 64;
  private static final int MOST_KEYS = 1_000;

  private final Started started = new Started();
  private final List<Driver> drivers = new ArrayList<>();
  private final BenchServer bench;
  private final Blackboard board;
  private final String digest;

  /** One for each key; the arguments are encoded beforehand. */
  private final List<byte[][]> arguments;

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
    digest =
        bench.redis().commands().scriptLoad(scripts.getFirst().text()).toCompletableFuture().join();
    arguments =
        scripts.stream()
            .map(script ->
                script.arguments().stream()
                    .map(argument -> argument.getBytes(StandardCharsets.UTF_8))
                    .toArray(byte[][]::new))
            .toList();
    for (int connections : new int[] {1, 2, 4}) {
      drivers.add(
          new Driver(scripts.getFirst(), connections, Math.max(load.clients(), LEAST_UNDER_WAY)));
    }
  }

  private record Lane(RedisConnections connection, String[] keys) {}

  private final class Driver {

    private final int connected;
    private final List<Lane> lanes;
    private long events;
    private double seconds;

    Driver(CommitScript script, int connected, int underWay) {
      this.connected = connected;
      List<RedisConnections> connections =
          IntStream.range(0, connected)
              .mapToObj(i ->
                  started.add(new RedisConnections(bench.server().uri(), bench.redis().settings())))
              .toList();
      lanes =
          IntStream.range(0, underWay)
              .mapToObj(i ->
                  new Lane(
                      connections.get(i % connected),
                      script.keys(connected + "-" + i).toArray(String[]::new)))
              .toList();
    }

    double run(int first, int end) {
      long before = stored();
      double took = new ClosedLoop(lanes.size()).run(first, end, this::write);
      long written = stored() - before;
      seconds += took;
      events += written;
      return written / took;
    }

    private CompletionStage<byte[]> write(int client, int number) {
      byte[][] call = arguments.get(number % arguments.size()).clone();
      call[0] = Integer.toString(number + 1).getBytes(StandardCharsets.US_ASCII);
      Lane lane = lanes.get(client);
      return lane.connection()
          .commands()
          .evalsha(digest, ScriptOutputType.VALUE, lane.keys(), call);
    }

    double perSecond() {
      return seconds > 0 ? events / seconds : 0;
    }
  }

  /** The highest of all drivers in this turn, in writes in a second. */
  double run(int first, int end) {
    return drivers.stream().mapToDouble(driver -> driver.run(first, end)).max().orElseThrow();
  }

  private long stored() {
    return board.statistics().toCompletableFuture().join().head().ordinal();
  }

  /**
   * Adds the highest that any driver has reached in all its turns.
   *
   * @return writes in a second
   */
  double addTo(ObjectNode json) {
    Driver best = drivers.stream().max(Comparator.comparingDouble(Driver::perSecond)).orElseThrow();
    json.put("writesPerSecond", Math.round(best.perSecond()))
        .put(
            "by",
            "Lettuce flat out, %d connections, %d under way"
                .formatted(best.connected, best.lanes.size()));
    return best.perSecond();
  }

  @Override
  public void close() {
    started.close();
  }
}
