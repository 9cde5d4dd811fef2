package dev.colony.agent.author;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * A hook on an agent. Hooks are layers around a call: one of higher priority is further out, so
 * that BEFORE it runs earlier and AFTER it runs later; of equal priority, the one that was added
 * first is further out. Immutable; the methods named after a component return a changed copy.
 *
 * @param name unique within the agent; names it in errors and lists
 * @param pointcut which calls it is for
 * @param timeout how long its own code may take in one call; empty for {@code
 *     colony.agent.hook.timeout}. At the end of it the thread is interrupted and the hook has
 *     failed
 */
public record AgentHook(
    String name,
    Pointcut pointcut,
    int priority,
    ErrorMode onError,
    Optional<Duration> timeout,
    HookCode code) {

  /** Where a hook stands to the method. */
  public enum When {
    BEFORE,
    AFTER,
    AROUND
  }

  public AgentHook {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(pointcut, "pointcut");
    Objects.requireNonNull(onError, "onError");
    Objects.requireNonNull(code, "code");
    timeout
        .filter(time -> time.isNegative() || time.isZero())
        .ifPresent(time -> {
          throw new IllegalArgumentException("the timeout of the hook " + name + " is " + time);
        });
  }

  /** A hook of priority 0 whose failures are the call's. */
  public static AgentHook before(String name, String pointcut, HookCode.Before code) {
    return of(name, pointcut, code);
  }

  /** The same, after the call. */
  public static AgentHook after(String name, String pointcut, HookCode.After code) {
    return of(name, pointcut, code);
  }

  /** The same, around the call. */
  public static AgentHook around(String name, String pointcut, HookCode.Around code) {
    return of(name, pointcut, code);
  }

  private static AgentHook of(String name, String pointcut, HookCode code) {
    return new AgentHook(
        name, Pointcut.parse(pointcut), 0, ErrorMode.PROPAGATE, Optional.empty(), code);
  }

  public AgentHook priority(int other) {
    return new AgentHook(name, pointcut, other, onError, timeout, code);
  }

  public AgentHook onError(ErrorMode other) {
    return new AgentHook(name, pointcut, priority, other, timeout, code);
  }

  public AgentHook timeout(Duration longest) {
    return new AgentHook(name, pointcut, priority, onError, Optional.of(longest), code);
  }

  public AgentHook named(String other) {
    return new AgentHook(other, pointcut, priority, onError, timeout, code);
  }

  public When when() {
    return switch (code) {
      case HookCode.Before before -> When.BEFORE;
      case HookCode.After after -> When.AFTER;
      case HookCode.Around around -> When.AROUND;
    };
  }
}
