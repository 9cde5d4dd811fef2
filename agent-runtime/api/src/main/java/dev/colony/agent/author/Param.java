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

  /**
   * The least and the most that is allowed, both included: of a number its value, of a text its
   * length in characters, of a list, a set or a map the number of its elements. Part of the schema
   * and held against every value.
   */
  @Retention(RetentionPolicy.RUNTIME)
  @Target({ElementType.RECORD_COMPONENT, ElementType.PARAMETER})
  @interface Range {

    double min() default Double.NEGATIVE_INFINITY;

    double max() default Double.POSITIVE_INFINITY;
  }
}
