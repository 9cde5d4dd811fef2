package dev.colony.core.lifecycle;

/** What moves an agent from one {@link dev.colony.agent.AgentState} to another. */
public enum LifecycleCommand {
  /** Begin to exist; comes with the first claim. */
  START,
  /** A run was accepted by an agent without one. Never given from outside. */
  BEGIN_WORK,
  /** The run cannot go on by itself. Never given from outside. */
  BLOCK,
  /** What the run waited for has come; given from outside where it is not an event. */
  UNBLOCK,
  /** The last result is published. Never given from outside. */
  FINISH_WORK,
  /** All pages that the agent is bound to are resident again. */
  PAGES_AVAILABLE,
  /** Some of them no longer are. */
  PAGES_EVICTED,
  /** Put the state away and do nothing. */
  SUSPEND,
  /** Go on from there. */
  RESUME,
  /** End for good. */
  STOP,
  /** End for good, because of an error. */
  FAIL;

  /** Whether it follows from an agent's work, so that no caller can give it. */
  public boolean implied() {
    return this == BEGIN_WORK || this == BLOCK || this == FINISH_WORK;
  }
}
