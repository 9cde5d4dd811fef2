package dev.colony.blackboard.board;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Topics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of this process by what they listen to. Thread-safe. */
public final class TopicListeners {

  private static final Logger LOG = LoggerFactory.getLogger(TopicListeners.class);

  private final Consumer<String> first;
  private final Consumer<String> none;
  private final Map<String, List<Consumer<JsonNode>>> byChannel = new ConcurrentHashMap<>();

  /** Ones that nothing needs to be done for. */
  public TopicListeners() {
    this(channel -> {}, channel -> {});
  }

  /**
   * @param first is told of a channel when its first listener comes, and must not block
   * @param none is told of a channel when its last listener has left, and must not block
   */
  public TopicListeners(Consumer<String> first, Consumer<String> none) {
    this.first = first;
    this.none = none;
  }

  public Topics.Listening add(String channel, Consumer<JsonNode> listener) {
    Consumer<JsonNode> own = listener::accept;
    byChannel.compute(
        channel,
        (key, before) -> {
          List<Consumer<JsonNode>> all = before;
          if (all == null) {
            all = new CopyOnWriteArrayList<>();
            first.accept(channel);
          }
          all.add(own);
          return all;
        });
    return () ->
        byChannel.computeIfPresent(
            channel,
            (key, all) -> {
              all.remove(own);
              if (!all.isEmpty()) {
                return all;
              }
              none.accept(channel);
              return null;
            });
  }

  public boolean any(String channel) {
    return byChannel.containsKey(channel);
  }

  /** The channels with listeners. */
  public List<String> channels() {
    return List.copyOf(byChannel.keySet());
  }

  /** Hands a message to the channel's listeners, to one after the other. */
  public void tell(String channel, JsonNode message) {
    for (Consumer<JsonNode> listener : byChannel.getOrDefault(channel, List.of())) {
      try {
        listener.accept(message);
      } catch (RuntimeException failure) {
        LOG.error("a listener to {} failed", channel, failure);
      }
    }
  }

  /** Nothing is heard any more. */
  public void clear() {
    byChannel.clear();
  }
}
