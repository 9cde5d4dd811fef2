package dev.colony.replica.lexical;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Brings stems of one word family together: what Porter's stemmer keeps apart because one is a verb
 * and the other a noun (place, placement; decide, decision; allocate, allocator).
 */
final class WordFamilies {

  private static final List<String> ENDINGS =
      List.of(
          "ement", "ment", "ation", "ition", "sion", "tion", "ion", "anc", "enc", "ator", "tor",
          "or", "er", "abl", "ibl", "at", "iv", "al", "e", "i");

  /** Roots whose last consonant changes: decide and decision, convert and conversion. */
  private static final Pattern CHANGING =
      Pattern.compile("(.*(?:ci|vi|lu|ro|va|pan|ten|pen|ver|mi|ce))[dst]");

  private static final int SHORTEST = 4;

  private WordFamilies() {}

  /** The family's name: the stem without its derivational ending, at least four letters long. */
  static String of(String stem) {
    Matcher changing = CHANGING.matcher(stem);
    if (changing.matches() && changing.group(1).length() >= SHORTEST) {
      return changing.group(1);
    }
    for (String ending : ENDINGS) {
      if (stem.endsWith(ending) && stem.length() - ending.length() >= SHORTEST) {
        return stem.substring(0, stem.length() - ending.length());
      }
    }
    return stem;
  }
}
