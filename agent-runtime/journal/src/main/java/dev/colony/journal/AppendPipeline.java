package dev.colony.journal;

import dev.colony.blackboard.redis.RedisConnections;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * Carries appends to Redis over pipelined connections of its own.
 *
 * <p>A persistence id always takes the same connection, so its appends stay in order. More than one
 * connection pays with {@code appendfsync always}. Collecting appends and flushing them together
 * does not pay: measured with 200 actors it saved less than 5% of the processor time of a persist,
 * most of which is Pekko's.
 *
 * <p>When a connection breaks, Lettuce keeps what is under way and sends it again once it is back.
 * Some failures it does pass on (a connection refused in between, a server that loads its file, a
 * server that has forgotten the script): those appends are sent again from here until the deadline.
 * Sending twice is safe because the script takes an exact repeat for success.
 *
 * <p>Thread-safe. What is under way is bounded by the callers, for a persistent actor has one write
 * under way, and by the connections' request queue.
 */
final class AppendPipeline implements AutoCloseable {

  /**
   * How many connections there are. Redis reads at most 16 KiB of each before it syncs its file;
   * each costs a socket and smaller batches.
   */
  static final int CONNECTIONS = 4;

  private final List<StatefulConnection<String, byte[]>> connections;
  private final RedisRetry retry;

  AppendPipeline(RedisConnections redis, int connections, RedisRetry retry) {
    this.connections = IntStream.range(0, connections).mapToObj(i -> redis.connect()).toList();
    this.retry = retry;
  }

  /** Sends an append. The stage gives what the script gives, or fails as Lettuce reports it. */
  CompletionStage<Long> append(AppendCall call) {
    var connection = connections.get(call.slot() % connections.size());
    return retry.untilTaken(
        send(connection, call.byDigest()), () -> send(connection, call.byText()));
  }

  @Override
  public void close() {
    connections.forEach(StatefulConnection::close);
  }

  private static CompletionStage<Long> send(
      StatefulConnection<String, byte[]> connection, AsyncCommand<String, byte[], Long> command) {
    connection.dispatch(command);
    return command;
  }
}
