package dev.colony.vcm.grouping;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Where a file stands, as far as relatedness goes.
 *
 * @param path relative to the source's root
 * @param directory the directories above it without those that only tell sources of one kind from
 *     another, so that {@code src/test/java/a} and {@code src/main/java/a} are one
 * @param name the file's name without its endings
 * @param stem that name without a test's prefix or suffix, so that Foo and FooTest share it; for a
 *     file that follows another, that one's
 */
record FilePlace(String path, List<String> directory, String name, String stem) {

  private static final Set<String> KINDS =
      Set.of("main", "test", "tests", "__tests__", "it", "testfixtures", "jmh", "bench");
  private static final List<String> SUFFIXES =
      List.of("TestCase", "Tests", "Test", "Spec", "Suite", "Bench", "IT", "_test", "_spec");
  private static final List<String> PREFIXES = List.of("test_", "Test");

  static FilePlace of(String path) {
    String[] parts = path.split("/");
    List<String> directory =
        Arrays.stream(parts, 0, parts.length - 1)
            .filter(part -> !KINDS.contains(part.toLowerCase(Locale.ROOT)))
            .toList();
    String last = parts[parts.length - 1];
    int dot = last.indexOf('.', 1);
    String name = dot < 0 ? last : last.substring(0, dot);
    return new FilePlace(path, directory, name, stem(name));
  }

  FilePlace withStem(String newStem) {
    return new FilePlace(path, directory, name, newStem);
  }

  private static String stem(String name) {
    for (String suffix : SUFFIXES) {
      if (name.endsWith(suffix) && name.length() > suffix.length()) {
        return name.substring(0, name.length() - suffix.length());
      }
    }
    for (String prefix : PREFIXES) {
      if (name.startsWith(prefix) && name.length() > prefix.length()) {
        return name.substring(prefix.length());
      }
    }
    return name;
  }
}
