package dev.colony.agent.author;

import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.inference.InferenceReply;

/**
 * Model calls of one agent. Thread-safe; a call blocks its (virtual) thread until the reply is
 * there, and is a join point for hooks.
 */
public interface Inference {

  /**
   * Asks the model. While a policy plans, the reply is durable before this returns, and the
   * iteration that is executed again after a crash gets it again without asking. Within an action
   * the reply is part of the action, which is asked for again as a whole.
   *
   * @param name of the call, unique within the iteration, for example {@code plan}
   * @return where the call has a schema, a reply that satisfies it: the gateway asks the model once
   *     more where the first does not
   * @throws AgentException if the model does not answer within the deadline, all attempts included,
   *     or if the run's budget is used up; {@link AgentException#retryable} says whether the same
   *     call may succeed later
   */
  InferenceReply infer(String name, ModelCall call);

  /**
   * Tells how many calls the run is still to make, as far as is known. Advice to the scheduler of
   * agents: of those that wait for a place, the ones that need it least long go first. It holds
   * until the run ends or another number is told, is not durable, and costs nothing.
   *
   * @param calls from 0
   */
  default void expects(int calls) {}
}
