package dev.colony.vcm.source;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Tells folders of the code of others, and of what a build makes, by their names and by what stands
 * beside or in them. A package of a program may bear such a name, so {@code target} and {@code
 * build} count beside the file of a build only, and {@code vendor} neither below {@code src} nor as
 * a package of Python. Pure.
 */
final class VendoredFolders {

  private static final Set<String> ALWAYS =
      Set.of("node_modules", "bower_components", "third_party", "site-packages", "__pycache__");

  private static final String VENDOR = "vendor";

  /** For each name the files of a build of which one stands beside it. */
  private static final Map<String, List<String>> BESIDE =
      Map.of(
          "target", List.of("pom.xml", "Cargo.toml", "build.sbt"),
          "build", List.of("build.gradle", "build.gradle.kts"),
          "dist", List.of("package.json", "setup.py", "pyproject.toml"));

  /** For each name what in it tells it. */
  private static final Map<String, String> WITHIN =
      Map.of("venv", "pyvenv.cfg", ".venv", "pyvenv.cfg", "build", "CMakeCache.txt");

  private VendoredFolders() {}

  /**
   * Whether a folder is one of them.
   *
   * @param folder its path with slashes, relative to the root of its tree
   * @param exists whether there is a file of a path, relative to that root too
   */
  static boolean is(String folder, Predicate<String> exists) {
    String above = above(folder);
    String name = folder.substring(above.length());
    return ALWAYS.contains(name)
        || name.equals(VENDOR)
            && !("/" + above).contains("/src/")
            && !exists.test(folder + "/__init__.py")
        || BESIDE.getOrDefault(name, List.of()).stream().anyMatch(file -> exists.test(above + file))
        || WITHIN.containsKey(name) && exists.test(folder + "/" + WITHIN.get(name));
  }

  /** What stands before the last part of a path, with its slash; empty where nothing does. */
  private static String above(String path) {
    return path.replaceFirst("[^/]*$", "");
  }

  /** Those among the folders of files, each the outermost one. */
  static Set<String> among(Collection<String> files) {
    Set<String> folders = new TreeSet<>();
    for (String file : files) {
      for (String above = above(file); !above.isEmpty(); ) {
        String folder = above.replaceFirst("/$", "");
        above = folders.add(folder) ? above(folder) : "";
      }
    }
    Set<String> all = Set.copyOf(files);
    Set<String> found = new TreeSet<>();
    for (String folder : folders) {
      if (!in(folder, found) && is(folder, all::contains)) {
        found.add(folder);
      }
    }
    return found;
  }

  /** Whether a file or folder is in one of these folders. */
  static boolean in(String path, Set<String> folders) {
    return folders.stream().anyMatch(folder -> path.startsWith(folder + "/"));
  }
}
