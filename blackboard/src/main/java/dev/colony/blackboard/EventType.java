package dev.colony.blackboard;

/** What can happen on a blackboard. */
public enum EventType {
  WRITTEN,
  DELETED,
  EXPIRED,
  CLEARED
}
