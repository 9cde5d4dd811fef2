package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.value.ValueCodec;
import java.time.InstantSource;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** What the scopes and the inbox of one backend have in common. Thread-safe. */
final class Backend {

  private final RedisConnections connections;
  private final InstantSource clock;
  private final ValueCodec codec;
  private final ScopeCalls calls;
  private final EntryReader reader;
  private final RedisExpiry expiry;
  private final RedisFeeds feeds;
  private final BlackboardSettings.Inbox inbox;
  private volatile boolean closed;

  Backend(
      RedisConnections connections,
      InstantSource clock,
      ValueCodec codec,
      ScopeCalls calls,
      RedisExpiry expiry,
      RedisFeeds feeds,
      BlackboardSettings.Inbox inbox) {
    this.connections = connections;
    this.clock = clock;
    this.codec = codec;
    this.calls = calls;
    this.reader = new EntryReader(connections, codec, clock);
    this.expiry = expiry;
    this.feeds = feeds;
    this.inbox = inbox;
  }

  /** The operation, or a failure once this has been closed. */
  <T> CompletionStage<T> unlessClosed(Supplier<CompletionStage<T>> operation) {
    return closed ? RedisFailure.closed() : operation.get();
  }

  void close() {
    closed = true;
    feeds.close();
  }

  RedisConnections connections() {
    return connections;
  }

  /** What time it is for the scripts. */
  byte[] now() {
    return RedisTime.argument(clock.instant());
  }

  ValueCodec codec() {
    return codec;
  }

  ScopeCalls calls() {
    return calls;
  }

  EntryReader reader() {
    return reader;
  }

  RedisExpiry expiry() {
    return expiry;
  }

  BlackboardSettings.Inbox inbox() {
    return inbox;
  }

  RedisFeeds feeds() {
    return feeds;
  }
}
