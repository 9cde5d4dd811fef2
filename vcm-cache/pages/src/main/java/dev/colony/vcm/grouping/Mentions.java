package dev.colony.vcm.grouping;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How often files name other files: in their imports or, as within a Java package, in the code. */
final class Mentions {

  private static final int IMPORT_WEIGHT = 5;
  private static final List<String> IMPORTS =
      List.of("import ", "from ", "#include", "use ", "require", "export ");

  private Mentions() {}

  /** Per stem that a text names how often; an import counts as several uses. */
  static Map<String, Integer> in(String text, Set<String> stems) {
    Map<String, Integer> counts = new HashMap<>();
    count(text, stems, counts);
    return counts;
  }

  private static void count(String text, Set<String> stems, Map<String, Integer> counts) {
    int lineStart = 0;
    int wordStart = -1;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : '\n';
      boolean inWord = Character.isJavaIdentifierPart(c);
      if (inWord && wordStart < 0) {
        wordStart = i;
      } else if (!inWord && wordStart >= 0) {
        String word = text.substring(wordStart, i);
        if (stems.contains(word)) {
          counts.merge(word, imported(text, lineStart) ? IMPORT_WEIGHT : 1, Integer::sum);
        }
        wordStart = -1;
      }
      if (c == '\n') {
        lineStart = i + 1;
      }
    }
  }

  private static boolean imported(String text, int lineStart) {
    return IMPORTS.stream().anyMatch(word -> text.startsWith(word, lineStart));
  }
}
