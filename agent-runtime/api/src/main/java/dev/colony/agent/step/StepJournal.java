package dev.colony.agent.step;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.util.Optional;

/**
 * What an iteration makes durable while it runs. Calls block their (virtual) thread until the
 * record is durable; thread-safe.
 *
 * <p>Each throws {@link java.util.concurrent.CancellationException} once the agent has left this
 * node or a later incarnation has taken over: the iteration is to end.
 */
public interface StepJournal {

  /** The reply that this iteration got under a name, before a crash or just now. */
  Optional<InferenceReply> answered(String name);

  /**
   * A model is about to be asked: the call counts for the run's budget from here on, as often as it
   * begins.
   *
   * @param promptTokens of its prompt, estimated
   */
  void asking(String name, long promptTokens);

  /** Makes durable what a call took that failed. */
  void failed(String name, Usage usage);

  /**
   * A model has answered the call of that name.
   *
   * @param paged whether the call carried pages, so that residency means something
   */
  void answered(String name, InferenceReply reply, boolean paged);

  /**
   * An external action is about to start. What the iteration has noted so far becomes durable with
   * it; after a crash the action is finished under the same idempotency key or reported as
   * interrupted, and the iteration ends with that, without being executed again.
   */
  void intend(Action action, boolean retryable);

  /** Publishes an event to the subscribers of the run, at least once. */
  void emit(String name, JsonNode data);

  /** Whether the agent has left this node or the run was cancelled. */
  boolean cancelled();

  /** Has something done, on any thread, as soon as {@link #cancelled} holds; at once if it does. */
  void onCancel(Runnable action);

  /** The same for every execution of this action, whatever crashed in between. */
  String idempotencyKey(String actionId);
}
