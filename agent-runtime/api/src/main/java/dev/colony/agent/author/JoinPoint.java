package dev.colony.agent.author;

import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.inference.InferenceReply;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * A place where hooks are called. Made once and kept: a call through it is cheap.
 *
 * @param name {@code Type.method}, see {@link HookContext}
 * @param returns what a call gives; what a hook puts in its place is held against it
 */
public record JoinPoint(String name, Class<?> returns) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$]+\\.[A-Za-z0-9_$]+");

  public JoinPoint {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(returns, "returns");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("a join point is Type.method, not: " + name);
    }
  }

  /**
   * A hook's value as a call may give it: a plain value of an asynchronous method becomes a
   * completed stage.
   *
   * @throws IllegalStateException if it is of another type
   */
  public Object admit(AgentHook hook, Object value) {
    boolean fits =
        returns == void.class
            || (value == null ? !returns.isPrimitive() : boxed().isInstance(value));
    if (fits) {
      return value;
    }
    if (returns != Object.class && returns.isAssignableFrom(CompletableFuture.class)) {
      return CompletableFuture.completedFuture(value);
    }
    throw new IllegalStateException(
        "the hook "
            + hook.name()
            + " gives "
            + (value == null ? "null" : "a " + value.getClass().getSimpleName())
            + " where "
            + name
            + " gives a "
            + returns.getSimpleName());
  }

  private Class<?> boxed() {
    return MethodType.methodType(returns).wrap().returnType();
  }

  /** The join points that the runtime itself offers, beside {@link Hookable} methods. */
  public static final class JoinPoints {

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
}
