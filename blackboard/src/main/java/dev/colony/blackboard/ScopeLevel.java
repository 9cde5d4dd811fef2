package dev.colony.blackboard;

/** How far a scope's entries are shared, from one agent to a whole tenant. */
public enum ScopeLevel {
  AGENT,
  SESSION,
  COLONY,
  TENANT
}
