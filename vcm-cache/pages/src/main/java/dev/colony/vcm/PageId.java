package dev.colony.vcm;

import java.util.regex.Pattern;

/**
 * Names a page by its content: equal text under an equal {@link PageLabel}, equal id, on every
 * machine.
 *
 * @param value 26 characters of lower-case base32 (the first 128 bits of the SHA-256 of label and
 *     text; {@link PageLabel#NONE} adds nothing)
 */
public record PageId(String value) implements Comparable<PageId> {

  private static final Pattern SHAPE = Pattern.compile("[a-z2-7]{26}");

  public PageId {
    if (!SHAPE.matcher(value).matches()) {
      throw new IllegalArgumentException("a page id is 26 characters of base32, not: " + value);
    }
  }

  @Override
  public int compareTo(PageId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
