package dev.colony.agent.author;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * A hook on an agent. Hooks are layers around a call: one of higher priority is further out, so
 * that BEFORE it runs earlier and AFTER it runs later; of equal priority, the one that was added
 * first is further out. Immutable; the methods named after a component return a changed copy.
 *
 * @param name unique within the agent; names it in errors and lists
 * @param pointcut which calls it is for
 * @param timeout how long its own code may take in one call; empty for ten seconds. At the end of
 *     it the thread is interrupted and the hook has failed
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

  public static AgentHook after(String name, String pointcut, HookCode.After code) {
    return of(name, pointcut, code);
  }

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

  /**
   * What a hook does. It runs on the caller's thread and may block for as long as its hook's
   * timeout allows; after an asynchronous call it runs on a virtual thread of its own.
   */
  public sealed interface HookCode {

    /** Called before the method; the method is not called if this throws. */
    @FunctionalInterface
    non-sealed interface Before extends HookCode {
      void before(HookContext call) throws Exception;
    }

    /**
     * Called when the method has ended; of an asynchronous method, when its stage has completed.
     */
    @FunctionalInterface
    non-sealed interface After extends HookCode {

      /**
       * @param result what the call gives; null if it failed
       * @param failure what it failed with; null if it did not fail
       */
      void after(HookContext call, Object result, Throwable failure) throws Exception;
    }

    /** Called in place of the method. */
    @FunctionalInterface
    non-sealed interface Around extends HookCode {

      /**
       * @return what the call is to give: what {@link Proceed#proceed} gave, or something else of
       *     its type; of an asynchronous method a stage
       */
      Object around(HookContext call, Proceed proceed) throws Exception;
    }

    /** The rest of a call, from an {@link Around} hook: the hooks within it, then the method. */
    @FunctionalInterface
    interface Proceed {

      /**
       * Goes on with the call, once more each time it is called. Its time is not the hook's.
       *
       * @throws Exception what the method throws, as it is
       */
      Object proceed() throws Exception;
    }
  }

  /**
   * What becomes of a call when a hook fails: it throws something that the method did not, or takes
   * longer than it may. A failure of the method that an AROUND hook lets through is the method's;
   * interruption, cancellation and an overflow of the stack are always the call's.
   */
  public sealed interface ErrorMode {

    /** The call fails with the hook's failure, or with the method's if that has failed already. */
    ErrorMode PROPAGATE = new Propagate();

    /** The call goes on as if the hook was not there; the failure is logged. */
    ErrorMode SUPPRESS = new Suppress();

    /** The call gives a value in place of what it would have given. */
    static ErrorMode fallback(Object value) {
      return new Fallback(call -> value);
    }

    /** See {@link #PROPAGATE}. */
    record Propagate() implements ErrorMode {}

    /** See {@link #SUPPRESS}. */
    record Suppress() implements ErrorMode {}

    /**
     * See {@link #fallback}; a failure of the function is the call's.
     *
     * @param value made for each call that needs it; of the type that the method returns, or for an
     *     asynchronous method, of what it completes with
     */
    record Fallback(Function<HookContext, Object> value) implements ErrorMode {
      public Fallback {
        Objects.requireNonNull(value, "value");
      }
    }
  }

  /**
   * A call at a join point.
   *
   * @param joinPoint {@code Type.method}, the type being the simple name of the class that declares
   *     the method, for example {@code ActionDispatcher.dispatch}
   * @param target whose method is called
   * @param arguments what it is called with, in their order; may hold nulls
   */
  public record HookContext(Agent agent, String joinPoint, Object target, List<Object> arguments) {}
}
