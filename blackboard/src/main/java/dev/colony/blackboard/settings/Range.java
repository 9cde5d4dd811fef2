package dev.colony.blackboard.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The values that a setting may have, both ends included. The ends are written as in HOCON, and
 * their unit says what the setting is: {@code "1"} a number, {@code "100 ms"} a duration, {@code "1
 * KiB"} a size in bytes.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface Range {

  /** The least value. */
  String min();

  /** The greatest value. */
  String max();
}
