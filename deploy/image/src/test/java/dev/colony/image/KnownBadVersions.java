package dev.colony.image;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The list of versions that must not ship, and which of them a class path has. */
record KnownBadVersions(List<Entry> entries) {

  /** One line of the list: versions from {@code from} on, before {@code fixed}. */
  record Entry(
      String group, String artifact, Optional<String> from, Optional<String> fixed, String why) {

    static Entry parse(String line) {
      String[] parts = line.split("\\|", -1);
      String[] library = parts[0].strip().split(":");
      if (parts.length != 4 || library.length != 2 || parts[3].isBlank()) {
        throw new IllegalArgumentException("not group:artifact | from | fixed in | why: " + line);
      }
      return new Entry(
          library[0], library[1], version(parts[1]), version(parts[2]), parts[3].strip());
    }

    private static Optional<String> version(String part) {
      return Optional.of(part.strip()).filter(text -> !text.isEmpty());
    }

    boolean has(Library library) {
      return library.in(group)
          && (artifact.equals("*") || artifact.equals(library.artifact()))
          && from.map(first -> compare(library.version(), first) >= 0).orElse(true)
          && fixed.map(first -> compare(library.version(), first) < 0).orElse(true);
    }
  }

  /** A jar as a local repository of Maven or the cache of Gradle has it. */
  private record Library(Path folder, String artifact, String version, boolean gradle) {

    static Library of(Path jar) {
      boolean gradle = jar.toString().contains("files-2.1");
      Path version = gradle ? jar.getParent().getParent() : jar.getParent();
      Path artifact = version.getParent();
      return new Library(
          artifact.getParent(),
          artifact.getFileName().toString(),
          version.getFileName().toString(),
          gradle);
    }

    boolean in(String group) {
      return folder.endsWith(gradle ? group : group.replace('.', '/'));
    }
  }

  static KnownBadVersions parse(String text) {
    return new KnownBadVersions(
        text.lines()
            .filter(line -> !line.isBlank() && !line.startsWith("#"))
            .map(Entry::parse)
            .toList());
  }

  /** One line for each jar and each reason against it; empty if nothing is known. */
  List<String> in(List<Path> jars) {
    List<String> found = new ArrayList<>();
    for (Path jar : jars) {
      Library library = Library.of(jar.toAbsolutePath());
      for (Entry entry : entries) {
        if (entry.has(library)) {
          found.add(
              "%s: %s; %s"
                  .formatted(
                      jar.getFileName(),
                      entry.why(),
                      entry
                          .fixed()
                          .map(version -> "take " + version + " or newer")
                          .orElse("take another library")));
        }
      }
    }
    return found;
  }

  /** By numbers; what stands behind them is told from a release only if it comes before one. */
  static int compare(String left, String right) {
    int[] first = numbers(left);
    int[] second = numbers(right);
    int length = Math.max(first.length, second.length);
    int byNumbers = Arrays.compare(Arrays.copyOf(first, length), Arrays.copyOf(second, length));
    return byNumbers != 0 ? byNumbers : Boolean.compare(preview(right), preview(left));
  }

  private static int[] numbers(String version) {
    return Arrays.stream(version.split("[.-]"))
        .takeWhile(part -> part.matches("\\d{1,9}"))
        .mapToInt(Integer::parseInt)
        .toArray();
  }

  private static boolean preview(String version) {
    return version.matches("(?i).*[.-](snapshot|alpha|beta|cr|rc|m)[.-]?\\d*");
  }
}
