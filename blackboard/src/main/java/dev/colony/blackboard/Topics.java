package dev.colony.blackboard;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Consumer;

/**
 * Messages to the processes that listen at the moment. Nothing is stored: a message reaches each
 * listener at most once, those of one process in the order in which it published them, and one that
 * is lost on the way is not sent again. For what a listener can do without; what must arrive is an
 * {@linkplain Blackboard entry}.
 *
 * <p>A topic that has no listener costs nothing: {@link #heard} is answered from memory. Listeners
 * make themselves known to all processes when they begin, and again from time to time. So one that
 * begins may miss what is published in the next moments, and for {@code
 * colony.blackboard.topics.lease} after the last one has left, messages are still sent.
 *
 * <p>A topic is named like a key of its scope. Thread-safe; no method blocks.
 */
public interface Topics {

  /** Whether there are listeners; a message that is published to none is not sent. */
  boolean heard(Scope scope, String topic);

  /**
   * Sends a message to the topic's listeners in all processes, this one included.
   *
   * @throws IllegalArgumentException if the message is longer than a value may be, or breaks the
   *     rules of values
   */
  void publish(Scope scope, String topic, JsonNode message);

  /**
   * Listens from here on.
   *
   * @param listener is called on a thread of the backend's, by one at a time, and must not block
   */
  Listening listen(Scope scope, String topic, Consumer<JsonNode> listener);

  /** One listener's; closing it again does nothing. */
  interface Listening extends AutoCloseable {

    @Override
    void close();
  }
}
