package dev.colony.blackboard;

/** A failure that knows whether the same operation may succeed later. */
public interface Retryable {

  /** Whether the same operation may succeed later. */
  boolean retryable();
}
