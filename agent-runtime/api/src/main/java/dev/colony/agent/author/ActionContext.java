package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import java.util.Optional;

/** What an executing action knows and may do; a parameter of an {@link ActionExecutor} method. */
public interface ActionContext {

  Agent agent();

  RunRequest request();

  String actionId();

  IdempotencyKey idempotencyKey();

  /**
   * Publishes an event to the subscribers of the run, at least once. Blocks until it is stored.
   *
   * @param name 1 to 64 characters of {@code [A-Za-z0-9._~-]}
   */
  void emit(String name, JsonNode data);

  /** Says how far it has come, 0 to 1; published to its subscribers as {@code progress}. */
  void progress(double done, String message);

  /** Stores where it has come to, so that the next execution can go on from there. */
  void checkpoint(JsonNode state);

  /** The last {@link #checkpoint} of an earlier execution of this action. */
  Optional<JsonNode> lastCheckpoint();

  /**
   * A place where the action can be stopped and paused: blocks while it is paused.
   *
   * @throws java.util.concurrent.CancellationException if it was cancelled or its time is over
   */
  void pausePoint() throws InterruptedException;

  /** Whether it was cancelled, its time is over, or the agent has left this node. */
  boolean cancelled();
}
