package dev.colony.bench;

import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * The source trees of questions, unpacked in a folder. One that is not there is unpacked from its
 * sources jar, which is looked for in the folder and in its folder {@code jars}, and fetched by the
 * Maven of the caller, which knows from where, if it is in neither.
 *
 * @param folder made if it is not there
 */
record Trees(Path folder) {

  private static final Pattern COORDINATES = Pattern.compile("[\\w.-]+:([\\w.-]+):([\\w.-]+)");
  private static final int LAST_LINES = 3;

  /**
   * The folder of a tree. Blocks; may fetch.
   *
   * @throws CommandFailure if there is none to be had, with the reason
   */
  Path of(String corpus) {
    Matcher coordinates = COORDINATES.matcher(corpus);
    if (!coordinates.matches()) {
      throw CommandFailure.badInput(
          "a corpus is group:artifact:version, not: " + Printable.of(corpus));
    }
    String name = coordinates.group(1) + "-" + coordinates.group(2);
    Path tree = folder.resolve(name);
    if (Files.isDirectory(tree)) {
      return tree;
    }
    try {
      Path jars = Files.createDirectories(folder.resolve("jars"));
      String jar = name + "-sources.jar";
      Optional<Path> kept =
          Stream.of(folder.resolve(jar), jars.resolve(jar)).filter(Files::exists).findFirst();
      if (kept.isEmpty()) {
        fetch(corpus, jars);
      }
      unpack(kept.orElseGet(() -> jars.resolve(jar)), tree);
      return tree;
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot unpack " + corpus + " into " + tree, failure);
    }
  }

  private static void fetch(String corpus, Path jars) throws IOException {
    Process maven =
        new ProcessBuilder(
                "mvn",
                "-q",
                "-B",
                "dependency:copy",
                "-Dartifact=" + corpus + ":jar:sources",
                "-DoutputDirectory=" + jars.toAbsolutePath())
            .directory(jars.toFile())
            .redirectErrorStream(true)
            .start();
    maven.getOutputStream().close();
    List<String> said = maven.inputReader().lines().filter(line -> !line.isBlank()).toList();
    if (!succeeded(maven)) {
      throw CommandFailure.badInput(
          "Maven does not fetch the sources of %s: put their jar into %s, or see: %s"
              .formatted(
                  corpus,
                  jars,
                  Printable.of(
                      String.join(" ", said.subList(0, Math.min(LAST_LINES, said.size()))))));
    }
  }

  private static boolean succeeded(Process maven) {
    try {
      return maven.waitFor() == 0;
    } catch (InterruptedException interrupted) {
      maven.destroy();
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
  }

  /** Into a folder beside it first, so that one that is there is whole. */
  private static void unpack(Path jar, Path tree) throws IOException {
    Path part = Files.createTempDirectory(tree.toAbsolutePath().getParent(), "part-");
    try (InputStream in = Files.newInputStream(jar);
        ZipInputStream zip = new ZipInputStream(in)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path file = part.resolve(entry.getName()).normalize();
        if (!file.startsWith(part)) {
          throw new IOException(jar + " has an entry outside of its root: " + entry.getName());
        }
        if (!entry.isDirectory()) {
          Files.createDirectories(file.getParent());
          Files.copy(zip, file);
        }
      }
    }
    Files.move(part, tree);
  }

  /** The files of a tree with their lines, as they were mapped. Immutable. */
  static final class Tree {

    private static final Pattern PLACE = Pattern.compile("(.+):(\\d{1,9})(?:-(\\d{1,9}))?");

    private final Map<String, List<String>> files = new TreeMap<>();

    Tree(Collection<VirtualContextPage> pages) {
      Map<String, TreeMap<Integer, List<String>>> parts = new TreeMap<>();
      for (VirtualContextPage page : pages) {
        for (PageText.SegmentLines one : PageText.segments(page)) {
          parts
              .computeIfAbsent(one.segment().file(), file -> new TreeMap<>())
              .put(one.segment().firstLine(), one.lines());
        }
      }
      parts.forEach((file, segments) -> {
        List<String> lines = new ArrayList<>();
        segments.values().forEach(lines::addAll);
        files.put(file, List.copyOf(lines));
      });
    }

    Map<String, List<String>> files() {
      return files;
    }

    /**
     * The lines at a place.
     *
     * @param place as in {@code src/Main.java:12} or {@code src/Main.java:12-15}
     * @throws IllegalArgumentException if the tree has none there
     */
    Found at(String place) {
      Matcher parts = PLACE.matcher(place);
      if (!parts.matches()) {
        throw new IllegalArgumentException(
            "a place is FILE:LINE or FILE:FIRST-LAST, not: " + place);
      }
      String file = parts.group(1);
      int first = Integer.parseInt(parts.group(2));
      int last = parts.group(3) == null ? first : Integer.parseInt(parts.group(3));
      List<String> lines = files.getOrDefault(file, List.of());
      if (first < 1 || last < first || last > lines.size()) {
        throw new IllegalArgumentException("the tree has no line " + place);
      }
      return new Found(file, String.join("\n", lines.subList(first - 1, last)));
    }
  }
}
