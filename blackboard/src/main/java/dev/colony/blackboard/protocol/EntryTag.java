package dev.colony.blackboard.protocol;

import dev.colony.blackboard.value.Text;

/** The rules for tags. */
public final class EntryTag {

  /** The longest tag, in UTF-16 characters. */
  public static final int MAX_LENGTH = 128;

  private EntryTag() {}

  /**
   * Returns the tag if it is valid: 1 to 128 characters, no control character, no half of a
   * surrogate pair.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static String check(String tag) {
    if (tag.isEmpty() || tag.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a tag has 1 to %d characters, but this one has %d".formatted(MAX_LENGTH, tag.length()));
    }
    if (tag.codePoints().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "the tag \""
              + Text.wellFormed(tag).replaceAll("\\p{Cntrl}", ".")
              + "\" holds a control character");
    }
    return Text.check("the tag \"" + Text.wellFormed(tag) + "\"", tag);
  }
}
