package dev.colony.testkit.board;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Topics;
import dev.colony.blackboard.board.TopicListeners;
import dev.colony.blackboard.protocol.EntryKey;
import dev.colony.blackboard.value.ValueCodec;
import java.util.function.Consumer;

/** The topics of one process: what is published is handed on by the thread that publishes it. */
record MemoryTopics(ValueCodec codec, TopicListeners listeners) implements Topics {

  private static String channel(Scope scope, String topic) {
    return scope.path() + "/" + EntryKey.check(topic);
  }

  @Override
  public boolean heard(Scope scope, String topic) {
    return listeners.any(channel(scope, topic));
  }

  @Override
  public void publish(Scope scope, String topic, JsonNode message) {
    String channel = channel(scope, topic);
    if (listeners.any(channel)) {
      JsonNode sent = codec.value(codec.value(topic, message));
      // One at a time, as listeners are promised.
      synchronized (listeners) {
        listeners.tell(channel, sent);
      }
    }
  }

  @Override
  public Listening listen(Scope scope, String topic, Consumer<JsonNode> listener) {
    return listeners.add(channel(scope, topic), listener);
  }
}
