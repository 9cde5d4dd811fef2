package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.feed.Feed;
import dev.colony.blackboard.inbox.InboxHints;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is pushed to this process, over one pub/sub connection: the events of the scopes that have
 * subscribers here, the inbox hints and the messages of topics.
 */
final class RedisFeeds implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RedisFeeds.class);

  private record OpenFeed(ScopeKeys keys, Feed feed, CompletionStage<Void> pushing) {}

  private final RedisConnections connections;
  private final ScopeCalls calls;
  private final ValueCodec codec;
  private final BlackboardSettings.Subscriber limits;
  private final int buckets;
  private final Executor executor;
  private final InboxHints hints;
  private final Heads heads;
  private final RedisTopics topics;
  private final StatefulRedisPubSubConnection<String, byte[]> pubSub;
  private final Map<String, OpenFeed> feeds = new ConcurrentHashMap<>();
  private boolean closed;

  RedisFeeds(
      RedisConnections connections,
      ScopeCalls calls,
      ValueCodec codec,
      BlackboardSettings settings,
      Executor executor) {
    this.connections = connections;
    this.calls = calls;
    this.codec = codec;
    this.limits = settings.subscriber();
    this.buckets = settings.buckets();
    this.executor = executor;
    this.hints = new InboxHints(executor);
    this.heads = new Heads(connections, buckets);
    this.pubSub = connections.connectPubSub();
    this.pubSub.addListener(new Pushes());
    this.pubSub.async().subscribe(ScopeKeys.HINTS);
    this.topics = new RedisTopics(connections, pubSub, codec, settings);
  }

  InboxHints hints() {
    return hints;
  }

  RedisTopics topics() {
    return topics;
  }

  /** Under the lock, so that subscribing to a channel and leaving it keep their order. */
  synchronized void subscribe(
      ScopeKeys keys,
      EventFilter filter,
      SubscribeFrom from,
      Flow.Subscriber<? super BlackboardEvent> subscriber) {
    if (closed) {
      Feed none = new Feed(log(keys), limits, executor, feed -> {});
      none.subscribe(filter, from, subscriber, RedisFailure.closed());
      return;
    }
    OpenFeed open = feeds.computeIfAbsent(keys.base(), channel -> open(keys));
    open.feed().subscribe(filter, from, subscriber, open.pushing());
  }

  private OpenFeed open(ScopeKeys keys) {
    Feed feed = new Feed(log(keys), limits, executor, empty -> leave(keys));
    return new OpenFeed(keys, feed, RedisFailure.translate(pubSub.async().subscribe(keys.base())));
  }

  private RedisEventLog log(ScopeKeys keys) {
    return new RedisEventLog(connections, calls, keys, codec);
  }

  private synchronized void leave(ScopeKeys keys) {
    OpenFeed open = feeds.get(keys.base());
    if (open != null && open.feed().isEmpty()) {
      feeds.remove(keys.base());
      if (!closed) {
        pubSub.async().unsubscribe(keys.base());
      }
    }
  }

  /** Lets every subscription look for events whose push was lost. */
  void sweep() {
    List.copyOf(feeds.values()).forEach(this::check);
  }

  private void check(OpenFeed open) {
    open.feed().check(() -> heads.of(open.keys()));
  }

  @Override
  public void close() {
    List<OpenFeed> open;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      open = List.copyOf(feeds.values());
      feeds.clear();
    }
    topics.close();
    pubSub.close();
    open.forEach(each -> each.feed().close());
  }

  private final class Pushes extends RedisPubSubAdapter<String, byte[]> {

    @Override
    public void message(String channel, byte[] message) {
      try {
        if (channel.equals(ScopeKeys.HINTS)) {
          hints.hint(Integer.parseInt(new String(message, StandardCharsets.US_ASCII)));
          return;
        }
        OpenFeed open = feeds.get(channel);
        if (open != null) {
          open.feed().push(new Frame(open.keys().scope(), codec, message));
        }
      } catch (RuntimeException foreign) {
        LOG.warn("a message on {} is not ours: {}", channel, foreign.toString());
      }
    }

    /**
     * Also after each reconnect: whatever was pushed meanwhile is lost and has to be looked for.
     */
    @Override
    public void subscribed(String channel, long count) {
      if (channel.equals(ScopeKeys.HINTS)) {
        for (int bucket = 0; bucket < buckets; bucket++) {
          hints.hint(bucket);
        }
        return;
      }
      OpenFeed open = feeds.get(channel);
      if (open != null) {
        check(open);
      }
    }
  }
}
