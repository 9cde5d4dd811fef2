package dev.colony.blackboard;

/** What an agent may be allowed to do with a key. */
public enum Operation {
  /** To read it, find it by a query or hear of its events. */
  READ,
  WRITE,
  DELETE,
  /** To clear the whole scope; the key is empty. */
  CLEAR
}
