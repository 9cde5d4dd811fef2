package dev.colony.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The native libraries of this machine that a Java runtime is linked against. */
final class LinkedLibraries {

  /**
   * {@code ldd} prints {@code NAME => PATH (ADDRESS)}, and the loader as {@code PATH (ADDRESS)}.
   */
  private static final Pattern LINE = Pattern.compile("(?m)^\\s+(?:\\S+ => )?(/\\S+) \\(0x");

  private LinkedLibraries() {}

  /** Where they are on this machine, without the runtime's own. */
  static Set<Path> of(Path runtime) throws IOException {
    List<String> command = new ArrayList<>(List.of("ldd", runtime.resolve("bin/java").toString()));
    try (Stream<Path> files = Files.walk(runtime.resolve("lib"))) {
      files
          .filter(file -> file.toString().endsWith(".so"))
          .sorted()
          .map(Path::toString)
          .forEach(command::add);
    }
    Matcher lines = LINE.matcher(new Tool(runtime).require(command));
    Set<Path> found = new TreeSet<>();
    while (lines.find()) {
      Path library = Path.of(lines.group(1)).normalize();
      if (!library.startsWith(runtime.toRealPath()) && !library.startsWith(runtime)) {
        found.add(library);
      }
    }
    return found;
  }

  /** The names of those that a root file system lacks, wherever in it they would stand. */
  static Set<String> missing(Set<Path> libraries, Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      Set<String> there =
          files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
      return libraries.stream()
          .map(library -> library.getFileName().toString())
          .filter(name -> !there.contains(name))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
