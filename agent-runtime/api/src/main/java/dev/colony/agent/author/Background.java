package dev.colony.agent.author;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a capability a subconscious process: called on a virtual thread again and again
 * while the agent is in memory with something to do, and named in its planning prompt.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Background {

  /** By default the method's name. */
  String name() default "";

  /** What it does to the agent's state, for the planning prompt. */
  String effect();

  /** Pause between two calls, as in {@code 30s}. */
  String every();
}
