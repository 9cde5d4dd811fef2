package dev.colony.bench.build;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What a build says of the project, in the terms that Maven and Gradle share.
 *
 * @param versions the named versions
 * @param versionOf which named version a library takes; libraries of a BOM are left out
 * @param modules their folders
 * @param dependencies by module; ours as {@code :module}, their test fixtures as {@code
 *     :module#tests}
 * @param excluded what libraries ask for and is left out
 * @param tags of tests that run only where a profile or a property of that name is given
 */
record BuildFacts(
    List<String> modules,
    Map<String, String> versions,
    Map<String, String> versionOf,
    Map<String, TreeSet<Dependency>> dependencies,
    TreeSet<String> excluded,
    TreeSet<String> tags) {

  record Dependency(String name, boolean test) implements Comparable<Dependency> {
    @Override
    public int compareTo(Dependency other) {
      return toString().compareTo(other.toString());
    }
  }
}
