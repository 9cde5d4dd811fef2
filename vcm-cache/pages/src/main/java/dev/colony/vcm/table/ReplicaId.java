package dev.colony.vcm.table;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Names an inference replica, also over its restarts: that of a node by the node's name, a server
 * of no node by its model and its address.
 *
 * @param value 1 to 255 characters of {@code [A-Za-z0-9._~:@/-]}, and brackets
 */
public record ReplicaId(String value) implements Comparable<ReplicaId> {

  private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9._~:@/\\[\\]-]{1,255}");

  public ReplicaId {
    if (!SHAPE.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "a replica id is 1 to 255 characters of A-Z a-z 0-9 . _ ~ : @ / [ ] -, not: " + value);
    }
  }

  /** One of this name; empty where no replica may have it. */
  public static Optional<ReplicaId> of(String name) {
    return SHAPE.matcher(name).matches() ? Optional.of(new ReplicaId(name)) : Optional.empty();
  }

  @Override
  public int compareTo(ReplicaId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
