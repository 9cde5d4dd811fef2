package dev.colony.agent.author;

import dev.colony.blackboard.protocol.Protocol;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a capability a handler of writes to the capability's scope: a matching one
 * wakes the agent, wherever it is. The method takes an {@link dev.colony.agent.EventBatch.Event}, a
 * {@link dev.colony.agent.RunRequest} (of the protocol's requests) or a record that the event's
 * value is read as. What it returns, if anything, is the event's context: a {@link Context}, or a
 * value under the handler's {@link #contextKey}; it goes to the consciousness streams and to the
 * policy.
 *
 * <p>A handler is called at least once for each event: one that was cut off by a crash is called
 * again.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface EventHandler {

  /** Globs of the keys, relative to the capability's scope; at most 16. */
  String[] pattern() default {};

  /** A protocol whose inputs for this agent are the patterns. */
  Class<? extends Protocol> protocol() default Protocol.class;

  /** Under which the returned value is known to filters and formatters; by default the method. */
  String contextKey() default "";

  /** What a handler returns to choose its key by itself. */
  record Context(String key, Object value) {}
}
