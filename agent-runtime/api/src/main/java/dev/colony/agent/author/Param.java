package dev.colony.agent.author;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes a parameter of an action for the model or the caller who fills it; its name is the
 * parameter's.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface Param {

  /** What it means. */
  String value();

  /** In place of the parameter's own name. */
  String name() default "";

  /**
   * What an optional parameter is where the caller leaves it out, as JSON, or a text as it is:
   * {@code 10}, {@code true}, {@code ["a"]}, {@code newest}. It is part of the schema and is filled
   * in before the method is called. Empty for none.
   */
  String defaultValue() default "";
}
