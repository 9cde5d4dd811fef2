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
 * The source trees of questions, unpacked in a folder. One of Maven's, {@code
 * group:artifact:version}, that is not there is unpacked from its sources jar, which is looked for
 * in the folder and in its folder {@code jars}, and fetched by the Maven of the caller, which knows
 * from where, if it is in neither. One of git's, {@code owner/name} or {@code name}, with {@code
 * @commit} where it is not as it stands, is among the caller's repositories; none is fetched.
 *
 * @param folder made if it is not there
 * @param repositories a folder with {@code OWNER__NAME} or {@code NAME} for each
 */
record Trees(Path folder, Optional<Path> repositories) {

  private static final Pattern COORDINATES = Pattern.compile("[\\w.-]+:([\\w.-]+):([\\w.-]+)");
  private static final Pattern REPOSITORY =
      Pattern.compile("(?:([\\w.-]+)/)?(\\w[\\w.-]*)(?:@([0-9a-f]{7,40}))?");
  private static final int LAST_LINES = 3;

  /**
   * The folder of a tree. Blocks; may fetch.
   *
   * @throws CommandFailure if there is none to be had, with the reason
   */
  Path of(String corpus) {
    Matcher coordinates = COORDINATES.matcher(corpus);
    Matcher repository = REPOSITORY.matcher(corpus);
    if (coordinates.matches()) {
      String name = coordinates.group(1) + "-" + coordinates.group(2);
      return unpacked(name, name + "-sources.jar", jars -> fetch(corpus, jars));
    }
    if (!repository.matches()) {
      throw CommandFailure.badInput(
          "a corpus is group:artifact:version, or a repository with or without @commit, not: "
              + Printable.of(corpus));
    }
    String name = repository.group(2);
    Path git = repository(repository.group(1), name);
    String commit = repository.group(3);
    if (commit == null) {
      return git;
    }
    String zip = name + "-" + commit + ".zip";
    return unpacked(name + "-" + commit, zip, jars -> archive(git, commit, jars.resolve(zip)));
  }

  private Path repository(String owner, String name) {
    Path folders =
        repositories.orElseThrow(() ->
            CommandFailure.badInput(
                "say with --repositories where the repository %s is: it is not fetched"
                    .formatted(name)));
    return Stream.of(owner + "__" + name, name)
        .map(folders::resolve)
        .filter(Files::isDirectory)
        .findFirst()
        .orElseThrow(() ->
            CommandFailure.badInput(
                "--repositories %s: has no folder %s: clone the repository to there"
                    .formatted(folders, (owner == null ? "" : owner + "__") + name)));
  }

  /** Makes a file in a folder. */
  private interface Making {
    void into(Path jars) throws IOException;
  }

  private Path unpacked(String name, String zip, Making making) {
    Path tree = folder.resolve(name);
    if (Files.isDirectory(tree)) {
      return tree;
    }
    try {
      Path jars = Files.createDirectories(folder.resolve("jars"));
      Optional<Path> kept =
          Stream.of(folder.resolve(zip), jars.resolve(zip)).filter(Files::exists).findFirst();
      if (kept.isEmpty()) {
        making.into(jars);
      }
      unpack(kept.orElseGet(() -> jars.resolve(zip)), tree);
      return tree;
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot unpack " + zip + " into " + tree, failure);
    }
  }

  private static void archive(Path git, String commit, Path zip) throws IOException {
    run(
        "git does not archive %s of %s: have that commit in it".formatted(commit, git),
        git,
        "git",
        "archive",
        "--format=zip",
        "--output=" + zip.toAbsolutePath(),
        commit);
  }

  private static void fetch(String corpus, Path jars) throws IOException {
    run(
        "Maven does not fetch the sources of %s: put their jar into %s".formatted(corpus, jars),
        jars,
        "mvn",
        "-q",
        "-B",
        "dependency:copy",
        "-Dartifact=" + corpus + ":jar:sources",
        "-DoutputDirectory=" + jars.toAbsolutePath());
  }

  /** Runs a program that may fail, with what to say then. */
  private static void run(String failed, Path folder, String... command) throws IOException {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    List<String> said = process.inputReader().lines().filter(line -> !line.isBlank()).toList();
    if (!succeeded(process)) {
      List<String> last = said.subList(0, Math.min(LAST_LINES, said.size()));
      throw CommandFailure.badInput(failed + ", or see: " + Printable.of(String.join(" ", last)));
    }
  }

  private static boolean succeeded(Process process) {
    try {
      return process.waitFor() == 0;
    } catch (InterruptedException interrupted) {
      process.destroy();
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
      return new Found(file, first, String.join("\n", lines.subList(first - 1, last)));
    }
  }
}
