package dev.colony.library.source;

import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.grouping.PageText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The files of a map with their texts. Immutable. */
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

  /** Takes pages one after another. */
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

  /** Which file a name means. */
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

  /** Whether a file holds tests, by its path. */
  static boolean isTest(String path) {
    return TEST.matcher(path).find();
  }
}
