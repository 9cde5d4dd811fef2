package dev.colony.server.access;

/** What the holder of a key may do, each role all that those before it may. */
public enum Role {
  /** Look. */
  VIEWER,
  /** Ask agents to run, tell them things, make new ones. */
  OPERATOR,
  /** End agents for good. */
  ADMIN;

  /** Whether it may do what this role is the least for. */
  public boolean covers(Role least) {
    return compareTo(least) >= 0;
  }
}
