package dev.colony.deploy.bench.board;

import dev.colony.blackboard.Scope;
import dev.colony.blackboard.redis.CommitScript;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.deploy.bench.Ceiling;
import dev.colony.deploy.bench.RedisBenchmarkTool;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The most writes with events that this Redis takes of the blackboard's own script, to one scope
 * that nobody listens to: driven flat out by Lettuce with nothing around it and, where there is
 * one, by redis-benchmark; the highest of all.
 */
final class CommitCeiling {

  private static final int LEAST_WRITES = 1_000;
  private static final int MOST_WRITES = 200_000;
  private static final int LEAST_UNDER_WAY = 64;
  private static final int MOST_KEYS = 1_000;
  private static final int TOOL_CONNECTIONS = 50;
  private static final Pattern ERRORS = Pattern.compile("total_error_replies:(\\d+)");

  private final BenchServer bench;
  private final int writes;
  private final int underWay;
  private final List<CommitScript> scripts;
  private final List<byte[][]> arguments;
  private final String digest;

  private CommitCeiling(BenchServer bench, BoardLoad load) {
    this.bench = bench;
    this.writes = Math.clamp(load.ops(), LEAST_WRITES, MOST_WRITES);
    this.underWay = Math.max(load.clients(), LEAST_UNDER_WAY);
    this.scripts =
        IntStream.range(0, Math.min(load.keys(), MOST_KEYS))
            .mapToObj(i ->
                new CommitScript(
                    Scope.colony("bench", "ceiling"),
                    "bench",
                    LoadedScopes.key(i),
                    load.valueBytes(),
                    bench.settings()))
            .toList();
    this.arguments = scripts.stream().map(CommitCeiling::arguments).toList();
    this.digest =
        bench.redis().commands().scriptLoad(scripts.getFirst().text()).toCompletableFuture().join();
  }

  private static byte[][] arguments(CommitScript script) {
    return script.arguments().stream()
        .map(argument -> argument.getBytes(StandardCharsets.UTF_8))
        .toArray(byte[][]::new);
  }

  static Ceiling measure(BenchServer bench, BoardLoad load) {
    CommitCeiling ceiling = new CommitCeiling(bench, load);
    Ceiling ours =
        Stream.of(1, 2, 4)
            .map(ceiling::byLettuce)
            .max(Comparator.comparingDouble(Ceiling::perSecond))
            .orElseThrow();
    Optional<RedisBenchmarkTool> tool = RedisBenchmarkTool.find(bench.server().port());
    return ours.or(tool.flatMap(one -> ceiling.byTool(one, 1)))
        .or(tool.flatMap(one -> ceiling.byTool(one, 16)));
  }

  private Ceiling byLettuce(int connections) {
    List<RedisConnections> redis = new ArrayList<>();
    try {
      for (int i = 0; i < connections; i++) {
        redis.add(new RedisConnections(bench.server().uri(), bench.redis().settings()));
      }
      List<Lane> lanes =
          IntStream.range(0, underWay)
              .mapToObj(i -> new Lane(connections + "-" + i, redis.get(i % connections)))
              .toList();
      double seconds =
          new ClosedLoop(underWay, writes).run((client, number) -> lanes.get(client).write(number));
      return new Ceiling(
          writes / seconds,
          "Lettuce flat out, %d connections, %d under way".formatted(connections, underWay));
    } finally {
      redis.forEach(RedisConnections::close);
    }
  }

  /** One write at a time. */
  private final class Lane {

    private final RedisConnections redis;
    private final String[] keys;

    Lane(String name, RedisConnections redis) {
      this.redis = redis;
      this.keys = scripts.getFirst().keys(name).toArray(String[]::new);
    }

    CompletionStage<byte[]> write(int number) {
      byte[][] call = arguments.get(number % arguments.size()).clone();
      call[0] = Integer.toString(number + 1).getBytes(StandardCharsets.US_ASCII);
      return redis.commands().evalsha(digest, ScriptOutputType.VALUE, keys, call);
    }
  }

  private Optional<Ceiling> byTool(RedisBenchmarkTool tool, int pipeline) {
    CommitScript script = scripts.getFirst();
    List<String> command = new ArrayList<>(List.of("EVALSHA", digest, "2"));
    command.addAll(script.keys());
    command.addAll(script.arguments());
    long errors = errorReplies();
    return tool.measure(writes, TOOL_CONNECTIONS, pipeline, command)
        .filter(measured -> errorReplies() == errors);
  }

  private long errorReplies() {
    String statistics = bench.redis().commands().info("stats").toCompletableFuture().join();
    return ERRORS
        .matcher(statistics)
        .results()
        .map((MatchResult found) -> Long.valueOf(found.group(1)))
        .findFirst()
        .orElseThrow();
  }
}
