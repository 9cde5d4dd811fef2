package dev.colony.blackboard.redis;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Topics;
import dev.colony.blackboard.board.TopicListeners;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.protocol.EntryKey;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Topics over pub/sub: a channel for each.
 *
 * <p>Redis says with each message how many clients took it, which comes too late to spare it, and
 * on a cluster counts those of one server only. So listeners say on a channel of their own which
 * topics they listen to, when Redis has confirmed it and three times in a lease from then on, and
 * who publishes remembers it.
 */
final class RedisTopics implements Topics {

  private static final Logger LOG = LoggerFactory.getLogger(RedisTopics.class);

  /** Topics that one message names. */
  private static final int TOGETHER = 100;

  private final RedisConnections connections;
  private final StatefulRedisPubSubConnection<String, byte[]> pubSub;
  private final ValueCodec codec;
  private final BlackboardSettings settings;
  private final TopicListeners listeners;

  /** Until when the channels have listeners somewhere. */
  private final Map<String, Deadline> heard = new ConcurrentHashMap<>();

  /**
   * @param pubSub stays the caller's
   */
  RedisTopics(
      RedisConnections connections,
      StatefulRedisPubSubConnection<String, byte[]> pubSub,
      ValueCodec codec,
      BlackboardSettings settings) {
    this.connections = connections;
    this.pubSub = pubSub;
    this.codec = codec;
    this.settings = settings;
    this.listeners =
        new TopicListeners(
            channel -> pubSub.async().subscribe(channel),
            channel -> pubSub.async().unsubscribe(channel));
    pubSub.addListener(new Messages());
    pubSub
        .async()
        .subscribe(ScopeKeys.LISTENERS)
        .exceptionally(failure -> {
          // One that its owner has closed before Redis confirmed it is no failure.
          if (pubSub.isOpen()) {
            LOG.warn(
                "what is sent and not kept, as the parts of running answers, is sent to none: {}",
                failure.getMessage());
          }
          return null;
        });
  }

  private String channel(Scope scope, String topic) {
    return ScopeKeys.of(scope, settings.buckets()).topic(EntryKey.check(topic));
  }

  @Override
  public boolean heard(Scope scope, String topic) {
    return !heard.isEmpty() && heard(channel(scope, topic));
  }

  private boolean heard(String channel) {
    Deadline until = heard.get(channel);
    return until != null && !until.passed();
  }

  @Override
  public void publish(Scope scope, String topic, JsonNode message) {
    String channel = channel(scope, topic);
    if (heard(channel)) {
      send(channel, codec.value(topic, message));
    }
  }

  /** What does not arrive is not sent again. */
  private void send(String channel, byte[] message) {
    connections
        .commands()
        .publish(channel, message)
        .exceptionally(failure -> {
          LOG.debug("a message to {} is lost", channel, failure);
          return null;
        });
  }

  @Override
  public Listening listen(Scope scope, String topic, Consumer<JsonNode> listener) {
    return listeners.add(channel(scope, topic), listener);
  }

  /** Says again what this process listens to, and forgets who has said nothing for too long. */
  void renew() {
    heard.values().removeIf(Deadline::passed);
    List<String> channels = listeners.channels();
    for (int from = 0; from < channels.size(); from += TOGETHER) {
      say(channels.subList(from, Math.min(channels.size(), from + TOGETHER)));
    }
  }

  private void say(List<String> channels) {
    send(ScopeKeys.LISTENERS, String.join("\n", channels).getBytes(StandardCharsets.UTF_8));
  }

  private void learn(byte[] said) {
    Deadline until = Deadline.in(settings.bounds().topics().lease());
    for (String channel : new String(said, StandardCharsets.UTF_8).split("\n")) {
      if (heard.size() < settings.bounds().topics().most() || heard.containsKey(channel)) {
        heard.put(channel, until);
      }
    }
  }

  void close() {
    listeners.clear();
    heard.clear();
  }

  private final class Messages extends RedisPubSubAdapter<String, byte[]> {

    @Override
    public void message(String channel, byte[] message) {
      if (channel.equals(ScopeKeys.LISTENERS)) {
        learn(message);
        return;
      }
      if (listeners.any(channel)) {
        try {
          listeners.tell(channel, codec.value(message));
        } catch (RuntimeException foreign) {
          LOG.warn("a message on {} is not ours: {}", channel, foreign.toString());
        }
      }
    }

    @Override
    public void subscribed(String channel, long count) {
      if (listeners.any(channel)) {
        say(List.of(channel));
      }
    }
  }
}
