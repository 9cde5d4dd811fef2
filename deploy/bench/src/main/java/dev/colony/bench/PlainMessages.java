package dev.colony.bench;

import dev.colony.blackboard.redis.RedisConnections;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * Plain Redis publish/subscribe with the blackboard's client and its settings: what an event's
 * latency is held against. One connection publishes, one listens to all channels.
 */
final class PlainMessages implements AutoCloseable {

  private final RedisConnections redis;
  private final String[] channels;
  private final NumberedValue values;
  private final Arrivals arrivals;
  private final StatefulRedisPubSubConnection<String, byte[]> listening;

  /** Subscribes to as many channels as the load has scopes; returns when that is done. */
  PlainMessages(RedisConnections redis, BoardLoad load) {
    this.redis = redis;
    this.channels =
        IntStream.range(0, load.scopes()).mapToObj(i -> "bench:plain:" + i).toArray(String[]::new);
    this.values = new NumberedValue(load.valueBytes());
    this.arrivals = new Arrivals(load.ops());
    this.listening = redis.connectPubSub();
    listening.addListener(
        new RedisPubSubAdapter<>() {
          @Override
          public void message(String channel, byte[] message) {
            arrivals.arrived(NumberedValue.number(message));
          }
        });
    ClosedLoop.await(
        listening.async().subscribe(channels).toCompletableFuture(), "the subscriptions");
  }

  CompletionStage<Long> publish(int number, long sinceNanos) {
    arrivals.sent(number, sinceNanos);
    return redis.commands().publish(channels[number % channels.length], values.bytes(number));
  }

  Arrivals arrivals() {
    return arrivals;
  }

  @Override
  public void close() {
    listening.close();
  }
}
