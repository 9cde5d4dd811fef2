package dev.colony.blackboard.protocol;

import java.util.Objects;

/**
 * A pattern for keys: {@code *} stands for any run of characters, colons included, {@code ?} for
 * exactly one, everything else for itself.
 *
 * <p>Matching takes time proportional to pattern times key at worst.
 */
public record KeyGlob(String pattern) {

  /**
   * @throws IllegalArgumentException if the pattern is empty or longer than a key may be
   */
  public KeyGlob {
    Objects.requireNonNull(pattern, "pattern");
    if (pattern.isEmpty() || pattern.length() > EntryKey.MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a key pattern has 1 to "
              + EntryKey.MAX_LENGTH
              + " characters, but this one has "
              + pattern.length());
    }
  }

  /** What every matching key begins with: the pattern up to its first wildcard. */
  public String prefix() {
    int end = 0;
    while (end < pattern.length() && pattern.charAt(end) != '*' && pattern.charAt(end) != '?') {
      end++;
    }
    return pattern.substring(0, end);
  }

  /** Whether the pattern is a key itself. */
  public boolean literal() {
    return prefix().length() == pattern.length();
  }

  /** Whether the whole key fits. */
  public boolean matches(String key) {
    int p = 0;
    int k = 0;
    int star = -1;
    int starKey = 0;
    while (k < key.length()) {
      int c = key.codePointAt(k);
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        star = p++;
        starKey = k;
      } else if (p < pattern.length()
          && (pattern.charAt(p) == '?' || pattern.codePointAt(p) == c)) {
        p += pattern.charAt(p) == '?' ? 1 : Character.charCount(c);
        k += Character.charCount(c);
      } else if (star >= 0) {
        // The last star takes one character more, and the rest is tried again.
        p = star + 1;
        starKey += Character.charCount(key.codePointAt(starKey));
        k = starKey;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }
}
