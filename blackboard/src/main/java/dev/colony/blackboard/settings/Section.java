package dev.colony.blackboard.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the section of the configuration that a record of settings stands for; at a map, the
 * section beside it that has what its entries leave out.
 */
@Target({ElementType.TYPE, ElementType.RECORD_COMPONENT})
@Retention(RetentionPolicy.RUNTIME)
public @interface Section {

  /** The path from the root, for example {@code colony.agent.capacity}; at a map, a key. */
  String value();
}
