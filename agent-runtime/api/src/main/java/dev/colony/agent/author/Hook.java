package dev.colony.agent.author;

import dev.colony.agent.author.AgentHook.ErrorMode;
import dev.colony.agent.author.AgentHook.HookCode;
import dev.colony.agent.author.AgentHook.HookContext;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a capability a hook on its agent, for as long as the capability is in memory.
 * Exactly one of {@link #before}, {@link #after} and {@link #around} says for which calls, as a
 * {@link Pointcut}. The method may take a {@link HookContext}, and besides
 *
 * <ul>
 *   <li>after a call: what it gave, what it failed with ({@link Throwable} or a kind of it), or
 *       both. A method that takes only one of the two is called only for calls that end so; one
 *       whose parameter is of another type than what a call gave is not called for it;
 *   <li>around a call: a {@link HookCode.Proceed}, which it must; it returns what the call is to
 *       give.
 * </ul>
 *
 * A method that is malformed is refused when its class is bound. What a method that is not {@code
 * around} returns is dropped.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Hook {

  /** See {@link HookCode.Before}. */
  String before() default "";

  /** See {@link HookCode.After}. */
  String after() default "";

  /** See {@link HookCode.Around}. */
  String around() default "";

  /** Higher is further out, see {@link AgentHook}. */
  int priority() default 0;

  OnError onError() default OnError.PROPAGATE;

  /**
   * For {@link OnError#FALLBACK}: the name of a method of the capability that gives the value; it
   * takes nothing or the {@link HookContext}.
   */
  String fallback() default "";

  /** How long its own code may take, as in {@code 30s}; empty for the node's. */
  String timeout() default "";

  /** See {@link ErrorMode}. */
  enum OnError {
    PROPAGATE,
    SUPPRESS,
    FALLBACK
  }
}
