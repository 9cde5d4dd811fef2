package dev.colony.agent;

/** Where an agent stands in its life. Source: the seed's table of lifecycle states. */
public enum AgentState {
  /** Spawned, not yet started. */
  INITIALIZED,
  /** Executing an iteration of its action policy. */
  RUNNING,
  /** In the middle of a run, blocked on input, an event, a child or a tool. */
  WAITING,
  /** Bound to pages that are resident, and between tasks. */
  LOADED,
  /** Bound to pages of which some are evicted. */
  UNLOADED,
  /** Between tasks. */
  IDLE,
  /** Put away: its state is durable, it does nothing until it is resumed. */
  SUSPENDED,
  /** Ended gracefully, for good. */
  STOPPED,
  /** Ended by an error, for good. */
  FAILED;

  public boolean terminal() {
    return this == STOPPED || this == FAILED;
  }
}
