package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.util.List;
import java.util.Optional;

/**
 * What an iteration makes durable while it runs. Calls block their (virtual) thread until the
 * record is durable, but for a model's reply, which is durable with the next record or soon;
 * thread-safe.
 *
 * <p>Each throws {@link java.util.concurrent.CancellationException} once the agent has left this
 * node or a later incarnation has taken over: the iteration is to end.
 */
public interface StepJournal {

  /**
   * An external action that may have taken effect.
   *
   * @param action its references resolved
   * @param retryable whether it may be executed again under the same idempotency key
   */
  record Begun(Action action, boolean retryable) {}

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
   * A model has answered the call of that name. Does not block.
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

  /**
   * An external action is about to start, one of several in the iteration; or one is to be finished
   * that a crash has cut off.
   *
   * @param action its references resolved
   * @param approval the person's answer that it uses up, if it does, as {@link #approvals} gives it
   *     back
   */
  void begin(Action action, boolean retryable, Optional<String> approval);

  /**
   * One of several actions has ended.
   *
   * @param approval as with its beginning
   * @return what is journaled: the result, or where that is too large or cannot be written, a
   *     failed one in its place that says why
   */
  ActionResult end(Action action, ActionResult result, Optional<String> approval);

  /** What an execution of this iteration before a crash had journaled as the end of an action. */
  Optional<ActionCall> ended(String actionId);

  /** The external action that an execution of this iteration had begun when a crash cut it off. */
  Optional<Begun> begun(String actionId);

  /**
   * The people's answers that the actions of an execution before a crash have used up, the same as
   * often as it was used.
   */
  List<String> approvals();

  /**
   * What became of an external action in an earlier attempt of the run, where it is not to be
   * executed again. Asked once for each action; several that are alike have been done as often as
   * there is an answer.
   *
   * @param action its references resolved
   */
  default Optional<ActionResult> done(Action action) {
    return Optional.empty();
  }

  /** Publishes an event to the subscribers of the run, at least once. */
  void emit(String name, JsonNode data);

  /** Whether the agent has left this node or the run was cancelled. */
  boolean cancelled();

  /** Has something done, on any thread, as soon as {@link #cancelled} holds; at once if it does. */
  void onCancel(Runnable action);

  /** The same for every execution of this action, whatever crashed in between. */
  String idempotencyKey(String actionId);
}
