package dev.colony.core.capacity;

/** What agents at work take of a node. */
public enum Resource {
  /** Agents at work at the same time. */
  AGENTS("agents at work"),
  /** Memory that is in use after a garbage collection, in percent of what there may be. */
  HEAP("percent of the heap"),
  /** What the agents at work are expected to hold in the caches of the node's model server. */
  KV_TOKENS("tokens of the model server's cache");

  private final String unit;

  Resource(String unit) {
    this.unit = unit;
  }

  /** For people: what an amount of it counts. */
  public String unit() {
    return unit;
  }
}
