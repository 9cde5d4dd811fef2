package dev.colony.core.dispatch;

/** Why an action was stopped before its end. */
enum Stop {
  TIMED_OUT,
  /** A caller cancelled it. */
  CANCELLED,
  /** The agent has left this node, or its run was cancelled. */
  LEFT
}
