package dev.colony.agent.author;

import dev.colony.agent.action.ActionResult;
import dev.colony.inference.InferenceReply;
import java.util.List;

/** The join points that the runtime itself offers, beside {@link Hookable} methods. */
public final class JoinPoints {

  /** An action, parameters unresolved, and its result. Argument: the {@code Action}. */
  public static final JoinPoint DISPATCH =
      new JoinPoint("ActionDispatcher.dispatch", ActionResult.class);

  /** One iteration. Argument: the {@code ActionPolicyExecutionState}. */
  public static final JoinPoint ITERATION =
      new JoinPoint("ActionPolicy.executeIteration", ActionPolicyIterationResult.class);

  /** One step of an agent's loop, around the iteration. No arguments. */
  public static final JoinPoint STEP = new JoinPoint("Agent.runStep", Object.class);

  /** A model call. Arguments: its name and the {@code ModelCall}. */
  public static final JoinPoint INFER = new JoinPoint("Inference.infer", InferenceReply.class);

  /** The names of the two that the memory capability offers as {@link Hookable} methods. */
  public static final String MEMORY_STORE = "MemoryCapability.store";

  public static final String MEMORY_RECALL = "MemoryCapability.recall";

  private static final List<JoinPoint> ALL = List.of(DISPATCH, ITERATION, STEP, INFER);

  private JoinPoints() {}

  /** The join point of a name; where it is none of these, what it returns is not known. */
  public static JoinPoint named(String name) {
    for (JoinPoint one : ALL) {
      if (one.name().equals(name)) {
        return one;
      }
    }
    return new JoinPoint(name, Object.class);
  }
}
