package dev.colony.library.source;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which files others name most: in code by their name without its ending, as classes are named
 * after their files; a name in small letters alone, which may be any word, only where it is
 * imported.
 */
final class Mentioned {

  private static final int SHORTEST = 3;
  private static final List<String> IMPORTS =
      List.of("import ", "from ", "#include", "use ", "require", "mod ", "export ");

  /**
   * A file.
   *
   * @param mentions how many other files name it; of files of one name each has its share; 0 of
   *     what is no code
   * @param test whether it holds tests
   * @param page the page that its first line is on
   */
  record FileEntry(String path, int lines, double mentions, boolean test, String page) {}

  /**
   * Files.
   *
   * @param files those of the program before those of its tests, the most mentioned first
   * @param found how many there are in all
   */
  record Result(List<FileEntry> files, int found) {}

  private Mentioned() {}

  /** Those of the files that fit; takes one pass over the text of all. */
  static Result of(SourceTree tree, Predicate<String> paths, int limit) {
    Map<String, Integer> holders = new HashMap<>();
    for (MappedText file : tree.files()) {
      if (code(file)) {
        holders.merge(SourceTree.stem(file.path()), 1, Integer::sum);
      }
    }
    Map<String, Integer> mentions = new HashMap<>();
    for (MappedText file : tree.files()) {
      Set<String> named = named(file.text(), holders.keySet());
      named.remove(SourceTree.stem(file.path()));
      named.forEach(stem -> mentions.merge(stem, 1, Integer::sum));
    }
    List<FileEntry> all = new ArrayList<>();
    for (MappedText file : tree.files(paths)) {
      String stem = SourceTree.stem(file.path());
      double share = code(file) ? (double) mentions.getOrDefault(stem, 0) / holders.get(stem) : 0;
      if (file.count() > 0) {
        all.add(
            new FileEntry(
                file.path(),
                file.count(),
                share,
                SourceTree.isTest(file.path()),
                file.page(0).value()));
      }
    }
    all.sort(
        Comparator.comparing(FileEntry::test)
            .thenComparing(FileEntry::mentions, Comparator.reverseOrder())
            .thenComparing(FileEntry::path));
    return new Result(List.copyOf(all.subList(0, Math.min(limit, all.size()))), all.size());
  }

  /** Texts and settings are seldom named after what they hold. */
  private static boolean code(MappedText file) {
    return switch (Language.of(file.path())) {
      case SETTINGS, OTHER -> false;
      default -> true;
    };
  }

  private static Set<String> named(String text, Set<String> stems) {
    Set<String> named = new HashSet<>();
    int lineStart = 0;
    int wordStart = -1;
    for (int at = 0; at <= text.length(); at++) {
      char c = at < text.length() ? text.charAt(at) : '\n';
      boolean part = Character.isLetterOrDigit(c) || c == '_' || c == '$' || c == '-';
      if (part && wordStart < 0) {
        wordStart = at;
      } else if (!part && wordStart >= 0) {
        String word = text.substring(wordStart, at);
        if (word.length() >= SHORTEST
            && stems.contains(word)
            && (!word.equals(word.toLowerCase(Locale.ROOT))
                || wordStart > lineStart && imported(text, lineStart))) {
          named.add(word);
        }
        wordStart = -1;
      }
      if (c == '\n') {
        lineStart = at + 1;
      }
    }
    return named;
  }

  private static boolean imported(String text, int lineStart) {
    return IMPORTS.stream().anyMatch(word -> text.startsWith(word, lineStart));
  }
}
