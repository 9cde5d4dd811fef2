package dev.colony.inference;

/**
 * Text that others have made, as it may be kept: no half of a surrogate pair is in it, since JSON
 * may carry one in an escape and UTF-8 has no form for it.
 */
public final class WellFormed {

  private WellFormed() {}

  /**
   * The text with U+FFFD for each half of a surrogate pair, as a decoder of UTF-8 would have it.
   */
  public static String of(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return text.replaceAll("\\p{Cs}", "\uFFFD");
      }
    }
    return text;
  }

  /** The first {@code most} characters, or one less so that no pair is parted. */
  public static String head(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    boolean parts = most > 0 && Character.isHighSurrogate(text.charAt(most - 1));
    return text.substring(0, parts ? most - 1 : most);
  }
}
