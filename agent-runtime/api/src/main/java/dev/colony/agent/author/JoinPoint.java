package dev.colony.agent.author;

import java.lang.invoke.MethodType;
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
}
