package dev.colony.bench.lease;

/** By what a call's replica is chosen. */
public enum Mode {
  /** Agents need leases to work, and call the replicas that these are at. */
  LEASES("leases"),
  /** Each call goes where it costs the fewest seconds, by what the caches are known to hold. */
  ROUTED("by cost"),
  /** Calls go to the replicas in turn. */
  IN_TURN("in turn");

  private final String text;

  Mode(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
