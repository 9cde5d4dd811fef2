package dev.colony.blackboard.history;

import java.util.List;

/** One thing that a program does to a scope. */
sealed interface Step {

  /** Reads keys; several of them at one moment. */
  record Read(List<String> keys) implements Step {}

  /** Writes to each key a value made of all that the program has read so far. */
  record Put(List<String> keys) implements Step {}

  record Remove(String key) implements Step {}

  /** Fails the transaction, by the will of its body. */
  record Abort() implements Step {}
}
