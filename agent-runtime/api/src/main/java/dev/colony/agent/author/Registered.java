package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The stable name under which a type travels. Its class name does not, but for {@link
 * dev.colony.agent.client.Agents.Definition#tools tools} of a class that has no such name.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Registered {

  /** 1 to 128 characters of {@code [A-Za-z0-9._-]}. */
  String value();

  /** Of the arguments; raised when their shape changes, together with an {@link Upcaster}. */
  int version() default 1;

  /** What it is for, for people and planners. */
  String summary() default "";

  /**
   * Of a capability: the part of the agent's scope where it stands if a file or a request names
   * neither scope nor namespace; empty for the scope itself.
   */
  String namespace() default "";

  /** Of a capability: whether it works nowhere but in that part of its agent's own scope. */
  boolean onlyThere() default false;

  /** Brings the arguments of an older version of a type to the next version. Pure. */
  @FunctionalInterface
  interface Upcaster {

    /**
     * @param version of the arguments, at least 1 and less than the type's
     * @return the arguments as version {@code version + 1} has them
     * @throws IllegalArgumentException if that version is no longer understood
     */
    JsonNode upcast(int version, JsonNode args);
  }
}
