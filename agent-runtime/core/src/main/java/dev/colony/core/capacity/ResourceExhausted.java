package dev.colony.core.capacity;

import java.util.Objects;

/**
 * That a node has too little of something for an agent.
 *
 * @param asked how much the agent needs, in the resource's unit
 * @param left how much there was; 0 or more
 */
public record ResourceExhausted(Resource resource, long asked, long left) {

  public ResourceExhausted {
    Objects.requireNonNull(resource, "resource");
    if (left < 0) {
      throw new IllegalArgumentException("left is " + left + ", but must be 0 or more");
    }
  }

  /** One line for people. */
  public String reason() {
    return "asked for %d %s, and %d are left".formatted(asked, resource.unit(), left);
  }

  public enum Resource {
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
}
