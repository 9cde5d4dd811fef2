package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where one action has come to, kept under its idempotency key for its next execution: after a
 * crash, or a next attempt. Calls block; thread-safe.
 */
final class Checkpoints {

  /** The part of the agent's scope in which they stand. */
  static final String NAMESPACE = "checkpoints";

  private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

  private final Blackboard board;
  private final String key;
  private final Duration kept;
  private Optional<JsonNode> last;

  Checkpoints(Blackboard board, String key, Duration kept) {
    this.board = board;
    this.key = key;
    this.kept = kept;
  }

  /** The last one of an earlier execution or attempt, as it was when this one first asked. */
  synchronized Optional<JsonNode> last() throws Exception {
    if (last == null) {
      last = Waiting.on(board.read(key)).map(Entry::value);
    }
    return last;
  }

  synchronized void store(JsonNode state) throws Exception {
    last();
    Waiting.on(board.write(Write.of(key, state).ttl(kept)));
    last = Optional.of(state);
  }

  /** The action is at its end. What cannot be removed now goes by itself. */
  synchronized void remove() {
    if (last != null && last.isPresent()) {
      board
          .delete(key)
          .exceptionally(failure -> {
            LOG.debug("a checkpoint stays until it expires: {}", Failure.line(failure));
            return false;
          });
    }
  }
}
