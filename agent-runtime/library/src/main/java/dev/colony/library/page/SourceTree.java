package dev.colony.library.page;

import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.Language;
import dev.colony.vcm.mapping.PageText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

final class SourceTree {

  /** The commits of a git source stand in files below it. */
  static final String LOG_FOLDER = ".git/log/";

  private static final Pattern TEST =
      Pattern.compile(
          "(?:^|/)(?:tests?|testing|__tests__|specs?|testkit|testfixtures)/"
              + "|(?:^|/)(?:test_[^/]*|[^/]*(?:_test|_spec|[.-]test|[.-]spec|Tests?|Spec|Suite|IT))"
              + "\\.[A-Za-z]+$");

  private final SortedMap<String, MappedText> files;

  private SourceTree(SortedMap<String, MappedText> files) {
    this.files = files;
  }

  /** Of the pages of a map. Costs about as much as copying their texts. */
  static SourceTree of(Collection<VirtualContextPage> pages) {
    Builder builder = new Builder();
    pages.forEach(builder::add);
    return builder.build();
  }

  static final class Builder {

    private final Map<String, List<MappedText.Part>> parts = new HashMap<>();

    void add(VirtualContextPage page) {
      for (PageText.SegmentLines segment : PageText.segments(page)) {
        parts
            .computeIfAbsent(segment.segment().file(), file -> new ArrayList<>())
            .add(new MappedText.Part(segment.segment().firstLine(), segment.lines(), page.id()));
      }
    }

    SourceTree build() {
      SortedMap<String, MappedText> files = new TreeMap<>();
      parts.forEach((path, own) -> files.put(path, MappedText.of(path, own)));
      return new SourceTree(files);
    }
  }

  /** The files by their paths, those of the commits left out. */
  List<MappedText> files() {
    return files(path -> true);
  }

  /** Those of them whose paths fit. */
  List<MappedText> files(Predicate<String> paths) {
    return files.values().stream()
        .filter(file -> !file.path().startsWith(LOG_FOLDER))
        .filter(file -> paths.test(file.path()))
        .toList();
  }

  /** The files that tell of commits, the latest first; empty where the source has no history. */
  List<MappedText> log() {
    return files.tailMap(LOG_FOLDER).values().stream()
        .takeWhile(file -> file.path().startsWith(LOG_FOLDER))
        .sorted(Comparator.comparing(MappedText::path).reversed())
        .toList();
  }

  long sizeBytes() {
    return files.values().stream().mapToLong(MappedText::sizeBytes).sum();
  }

  sealed interface Named {

    record File(MappedText file) implements Named {}

    /** None, or more than one: these come closest. */
    record Unclear(List<String> candidates) implements Named {}
  }

  /**
   * The file of a path, which may lack directories at its beginning, or have some too many, as long
   * as one file alone fits.
   */
  Named named(String given) {
    String path = given.strip().replace('\\', '/');
    while (path.startsWith("./") || path.startsWith("/")) {
      path = path.substring(path.indexOf('/') + 1);
    }
    MappedText exact = files.get(path);
    if (exact != null) {
      return new Named.File(exact);
    }
    String name = path.substring(path.lastIndexOf('/') + 1);
    List<String> sameName =
        files.keySet().stream()
            .filter(file -> file.equals(name) || file.endsWith("/" + name))
            .toList();
    String wanted = path;
    List<String> fits =
        sameName.stream()
            .filter(file -> file.endsWith("/" + wanted) || wanted.endsWith("/" + file))
            .toList();
    return fits.size() == 1 && !name.isEmpty()
        ? new Named.File(files.get(fits.getFirst()))
        : new Named.Unclear(fits.isEmpty() ? sameName : fits);
  }

  /** The name of a file without its directories and endings. */
  static String stem(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    int dot = name.indexOf('.', 1);
    return dot < 0 ? name : name.substring(0, dot);
  }

  static boolean isTest(String path) {
    return TEST.matcher(path).find();
  }

  /**
   * Which files others name most: in code by their name without its ending, as classes are named
   * after their files; a name in small letters alone, which may be any word, only where it is
   * imported.
   */
  static final class Mentioned {

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
}
