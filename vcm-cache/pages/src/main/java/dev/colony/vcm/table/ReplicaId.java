package dev.colony.vcm.table;

import java.util.regex.Pattern;

/**
 * Names an inference replica, also over its restarts.
 *
 * @param value 1 to 128 characters of {@code [A-Za-z0-9._~-]}
 */
public record ReplicaId(String value) implements Comparable<ReplicaId> {

  private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

  public ReplicaId {
    if (!SHAPE.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "a replica id is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, not: " + value);
    }
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
