package dev.colony.blackboard.protocol;

import dev.colony.blackboard.value.Text;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** The rules for keys, which are relative to their scope. */
public final class EntryKey {

  /** The longest key, in UTF-16 characters. */
  public static final int MAX_LENGTH = 1_024;

  /** The order of keys in every backend: that of their UTF-8 bytes, as Redis compares them. */
  public static final Comparator<String> ORDER =
      (left, right) ->
          Arrays.compareUnsigned(
              left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));

  private EntryKey() {}

  /**
   * Returns the key if it is valid.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static String check(String key) {
    if (key.isEmpty()) {
      throw refused(key, "is empty");
    }
    if (key.length() > MAX_LENGTH) {
      throw refused(
          Text.cut(key, 43), "has " + key.length() + " characters, more than " + MAX_LENGTH);
    }
    if (key.startsWith("/")) {
      throw refused(key, "begins with a slash: keys are relative to their scope");
    }
    if (key.startsWith("tenant:")) {
      throw refused(key, "begins like a scope's path: keys are relative to their scope");
    }
    int half = Text.half(key);
    if (half >= 0) {
      throw refused(key, "holds half a surrogate pair at character " + half);
    }
    key.codePoints().forEach(c -> checkCharacter(key, c));
    return key;
  }

  private static void checkCharacter(String key, int c) {
    if (c == '*' || c == '?') {
      throw refused(key, "holds the wildcard " + (char) c);
    }
    if (Character.isISOControl(c)) {
      throw refused(key, "holds the control character U+%04X".formatted(c));
    }
  }

  private static IllegalArgumentException refused(String key, String why) {
    StringBuilder shown = new StringBuilder();
    Text.wellFormed(key)
        .codePoints()
        .forEach(c -> shown.appendCodePoint(Character.isISOControl(c) ? '.' : c));
    return new IllegalArgumentException("the key \"" + shown + "\" " + why);
  }
}
