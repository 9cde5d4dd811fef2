package dev.colony.vcm;

import java.util.regex.Pattern;

/**
 * Names a group of pages by the pages in it.
 *
 * @param value 26 characters of lower-case base32 (the first 128 bits of the SHA-256 over the
 *     pages' ids)
 */
public record PageGroupId(String value) implements Comparable<PageGroupId> {

  private static final Pattern SHAPE = Pattern.compile("[a-z2-7]{26}");

  public PageGroupId {
    if (!SHAPE.matcher(value).matches()) {
      throw new IllegalArgumentException("a group id is 26 characters of base32, not: " + value);
    }
  }

  @Override
  public int compareTo(PageGroupId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
