package dev.colony.core.capacity;

import java.util.Map;

/**
 * How many parts each tenant has in what there is.
 *
 * @param parts of the tenants that are named, 1 or more each
 * @param other the parts of each other tenant, 1 or more
 */
public record Shares(Map<String, Integer> parts, int other) {

  /** The same for all. */
  public static final Shares EQUAL = new Shares(Map.of(), 1);

  public Shares {
    parts = Map.copyOf(parts);
    if (other < 1 || parts.values().stream().anyMatch(part -> part < 1)) {
      throw new IllegalArgumentException(
          "a tenant has 1 part or more, not: " + parts + ", " + other);
    }
  }

  public int of(String tenant) {
    return parts.getOrDefault(tenant, other);
  }
}
