package dev.colony.bench.board;

import dev.colony.bench.load.ClosedLoop;
import dev.colony.blackboard.redis.CommitScript;
import dev.colony.blackboard.redis.RedisConnections;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** The script through Lettuce with nothing around it: the arguments are encoded beforehand. */
final class LettuceFlatOut implements CeilingDriver {

  private final String digest;
  private final List<byte[][]> arguments;
  private final List<RedisConnections> connections = new ArrayList<>();
  private final List<Lane> lanes;

  /**
   * @param scripts one for each key, of the same scope
   * @param connected how many connections the writes go through
   * @param underWay how many writes at a time
   */
  LettuceFlatOut(
      BenchServer bench, String digest, List<CommitScript> scripts, int connected, int underWay) {
    this.digest = digest;
    this.arguments = scripts.stream().map(LettuceFlatOut::arguments).toList();
    for (int i = 0; i < connected; i++) {
      connections.add(new RedisConnections(bench.server().uri(), bench.redis().settings()));
    }
    this.lanes =
        IntStream.range(0, underWay)
            .mapToObj(i ->
                new Lane(
                    connections.get(i % connected),
                    scripts.getFirst().keys(connected + "-" + i).toArray(String[]::new)))
            .toList();
  }

  private static byte[][] arguments(CommitScript script) {
    return script.arguments().stream()
        .map(argument -> argument.getBytes(StandardCharsets.UTF_8))
        .toArray(byte[][]::new);
  }

  /** One write at a time. */
  private record Lane(RedisConnections connection, String[] keys) {}

  @Override
  public String name() {
    return "Lettuce flat out, %d connections, %d under way"
        .formatted(connections.size(), lanes.size());
  }

  @Override
  public double run(int first, int end) {
    return new ClosedLoop(lanes.size()).run(first, end, this::write);
  }

  private CompletionStage<byte[]> write(int client, int number) {
    byte[][] call = arguments.get(number % arguments.size()).clone();
    call[0] = Integer.toString(number + 1).getBytes(StandardCharsets.US_ASCII);
    Lane lane = lanes.get(client);
    return lane.connection().commands().evalsha(digest, ScriptOutputType.VALUE, lane.keys(), call);
  }

  @Override
  public void close() {
    connections.forEach(RedisConnections::close);
  }
}
