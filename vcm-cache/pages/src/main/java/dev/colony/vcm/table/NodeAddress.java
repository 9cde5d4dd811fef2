package dev.colony.vcm.table;

import java.util.regex.Pattern;

/**
 * Names a cluster node by where it listens.
 *
 * @param value {@code host:port}
 */
public record NodeAddress(String value) implements Comparable<NodeAddress> {

  private static final Pattern SHAPE = Pattern.compile("\\S{1,255}:[0-9]{1,5}");

  public NodeAddress {
    if (!SHAPE.matcher(value).matches()) {
      throw new IllegalArgumentException("a node address is host:port, not: " + value);
    }
  }

  @Override
  public int compareTo(NodeAddress other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
