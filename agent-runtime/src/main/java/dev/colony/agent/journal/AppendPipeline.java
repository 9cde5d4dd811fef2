package dev.colony.agent.journal;

import dev.colony.blackboard.redis.RedisConnections;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * Carries appends to Redis over pipelined connections of its own.
 *
 * <p>Appends are collected until {@link #flush} and then handed to Netty together: one wake-up of
 * its event loop and one write to the socket for many appends, where Lettuce by itself would flush
 * after each. A persistence id always takes the same connection, so its appends stay in order.
 *
 * <p>When a connection breaks, Lettuce keeps what is under way and sends it again once it is back.
 * Some failures it does pass on (a connection refused in between, a server that loads its file, a
 * server that has forgotten the script): those appends are sent again from here until the deadline.
 * Sending twice is safe because the script takes an exact repeat for success.
 *
 * <p>Thread-safe. What is under way is bounded by the callers: a persistent actor has one write
 * under way.
 */
final class AppendPipeline implements AutoCloseable {

  private final List<Lane> lanes;
  private final RedisRetry retry;

  AppendPipeline(RedisConnections redis, int connections, RedisRetry retry) {
    this.lanes = IntStream.range(0, connections).mapToObj(i -> new Lane(redis.connect())).toList();
    this.retry = retry;
  }

  /**
   * Takes an append for the next flush. The stage gives what the script gives, or fails as Lettuce
   * reports it.
   */
  CompletionStage<Long> append(AppendCall call) {
    Lane lane = lanes.get(call.slot() % lanes.size());
    AsyncCommand<String, byte[], Long> command = call.byDigest();
    lane.add(command);
    return retry.untilTaken(command, () -> lane.send(call));
  }

  /** Sends what was taken since the last flush. */
  void flush() {
    lanes.forEach(Lane::flush);
  }

  @Override
  public void close() {
    lanes.forEach(Lane::close);
  }

  /** One connection and what waits for its next flush. */
  private static final class Lane {

    private final StatefulRedisConnection<String, byte[]> connection;
    private List<AsyncCommand<String, byte[], Long>> waiting = new ArrayList<>();

    Lane(StatefulRedisConnection<String, byte[]> connection) {
      this.connection = connection;
    }

    synchronized void add(AsyncCommand<String, byte[], Long> command) {
      waiting.add(command);
    }

    /** Under the lock to its end: a later batch must not overtake an earlier one. */
    synchronized void flush() {
      if (!waiting.isEmpty()) {
        connection.dispatch(waiting);
        waiting = new ArrayList<>();
      }
    }

    CompletionStage<Long> send(AppendCall call) {
      AsyncCommand<String, byte[], Long> again = call.byText();
      connection.dispatch(again);
      return again;
    }

    void close() {
      connection.close();
    }
  }
}
