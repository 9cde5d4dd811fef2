package dev.colony.agent.action;

/** Where an action's effect ends. */
public enum Effect {
  /** Safe to repeat under its idempotency key: reads, and writes to the blackboard. */
  INTERNAL,
  /** Reaches the world outside: its intent is journaled before it starts. */
  EXTERNAL
}
