package dev.colony.agent.suspension;

/** What had an agent suspended. */
public enum SuspensionCause {
  /** Somebody asked for it. */
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
  BUDGET
}
