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
}
