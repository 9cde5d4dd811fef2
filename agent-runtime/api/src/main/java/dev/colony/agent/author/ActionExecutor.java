package dev.colony.agent.author;

import dev.colony.agent.action.ActionType.Effect;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a capability, or of a plain object that is given to an agent as {@link
 * dev.colony.agent.client.Agents.Definition#tools tools}, an action that policies can choose. The
 * method runs on a virtual thread and may block, or return a {@link
 * java.util.concurrent.CompletionStage}. Its parameters and its return type make the JSON schemas;
 * parameters of the types {@link ActionContext} and {@link IdempotencyKey} are given by the runtime
 * and are no part of the schema. A method that may find itself blocked returns an {@link
 * dev.colony.agent.action.ActionResult}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface ActionExecutor {

  /**
   * Names the action: an {@link dev.colony.agent.action.ActionType} in lower case or a key of one's
   * own, unique within the agent. By default {@code capabilityKey.method_name}, the method's name
   * in snake case.
   */
  String key() default "";

  /** One or two sentences for a reader who decides whether to take it. */
  String summary() default "";

  String[] tags() default {};

  /** Names of the scope variables that it reads. */
  String[] reads() default {};

  /**
   * Names of those that its output is kept under: the whole output under a single name, under
   * several its fields of these names.
   */
  String[] writes() default {};

  /** Whether planners are not shown it: it is executed by programs only. */
  boolean excludeFromPlanning() default false;

  Effect effect() default Effect.INTERNAL;

  /**
   * Whether it may be executed again under the same idempotency key: after a crash that hid its
   * outcome, up to {@link #attempts} times after a failure that says that it is retryable, and for
   * as long as its time lasts while the blackboard cannot be used.
   */
  boolean retryable() default true;

  /**
   * Whether a person has to approve it each time: before that, it is not begun, and its run waits.
   * The approval is of these very parameters, and for one execution.
   */
  boolean approval() default false;

  /** How often it is tried in all, 1 to 10. */
  int attempts() default 1;

  /**
   * Of all attempts together, as in {@code 30s}, {@code 2m}, up to {@code 24h}; empty for the
   * node's. The time in which it is paused is not counted.
   */
  String timeout() default "";

  /** Whether it computes for long: it runs on a bounded pool of platform threads. */
  boolean computing() default false;

  /** JSON schema of the parameters, in place of the inferred one. */
  String inputSchema() default "";

  /** JSON schema of the output, in place of the inferred one. */
  String outputSchema() default "";

  /** The same for every execution of one action, whatever crashed in between. */
  record IdempotencyKey(String value) {}
}
