package dev.colony.agent.suspension;

/** What had an agent suspended. */
public enum SuspensionCause {
  /** A caller asked for it. */
  EXPLICIT,
  /** Its run cannot go on by itself: it waits for others, for an event, for a time. */
  BLOCKED,
  /** Pages that it is bound to are in no cache any more. */
  PAGES,
  /** Its node has no room for it, or needs its room for an agent of higher priority. */
  CAPACITY,
  /** Its run waits for a person to say yes or no. */
  APPROVAL,
  /** Its run has spent what it may spend, and the blueprint says to ask for more. */
  BUDGET;

  /** Whether it lies in the open run, so that the suspension ends with the run. */
  public boolean ofRun() {
    return this == BLOCKED || this == CAPACITY || this == APPROVAL || this == BUDGET;
  }

  /** Whether the time of the agent's runs goes on meanwhile: they wait for what they chose to. */
  public boolean timed() {
    return this == BLOCKED || this == APPROVAL;
  }
}
