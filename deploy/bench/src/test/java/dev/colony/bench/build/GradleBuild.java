package dev.colony.bench.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the Gradle build says, read from its scripts and its version catalog. */
final class GradleBuild {

  private static final Pattern INCLUDED = Pattern.compile("\"([\\w:-]+)\"");
  private static final Pattern VERSION = Pattern.compile("(?m)^([\\w-]+) = \"([^\"]+)\"$");
  private static final Pattern LIBRARY =
      Pattern.compile(
          "(?m)^([\\w-]+) = \\{ module = \"([^\"]+)\"(?:, version\\.ref = \"([^\"]+)\")? }$");
  private static final Pattern DEPENDENCY =
      Pattern.compile(
          "(?m)^ +\"?(api|compileOnly|testImplementation|testRuntimeOnly)\"?\\((.+?)\\)(?: \\{)?$");
  private static final Pattern PROJECT =
      Pattern.compile(
          "project\\((?:path = )?\":((?:[\\w-]+:)*[\\w-]+)\"(, configuration = \"testJar\")?\\)");
  private static final Pattern EXCLUDED =
      Pattern.compile("exclude\\(group = \"([^\"]+)\", module = \"([^\"]+)\"\\)");
  private static final Pattern SPECIAL = Pattern.compile("val special = arrayOf\\((.*)\\)");
  private static final Pattern CATALOG = Pattern.compile("(?:libs|catalog)\\.([\\w.]+)");

  private static final Pattern CLASSIFIED =
      Pattern.compile(
          "\"([^:]+:[^:]+):\\$\\{libs\\.versions\\.[\\w.]+(?:\\(\\))?\\.get\\(\\)}:(\\w+)\"");

  private GradleBuild() {}

  static BuildFacts read(Path root) throws IOException {
    String settings = Files.readString(root.resolve("settings.gradle.kts"));
    List<String> modules =
        INCLUDED
            .matcher(settings.substring(settings.indexOf("include(")))
            .results()
            .map(match -> match.group(1).replace(':', '/'))
            .toList();
    String catalog = Files.readString(root.resolve("gradle/libs.versions.toml"));
    Map<String, String> versions = new TreeMap<>();
    VERSION
        .matcher(catalog)
        .results()
        .forEach(match -> versions.put(match.group(1), match.group(2)));
    Map<String, String> coordinatesOf = new TreeMap<>();
    Map<String, String> versionOf = new TreeMap<>();
    for (MatchResult match : LIBRARY.matcher(catalog).results().toList()) {
      coordinatesOf.put(match.group(1).replace('-', '.'), match.group(2));
      if (match.group(3) != null) {
        versionOf.put(match.group(2), match.group(3));
      }
    }
    String parent = Files.readString(root.resolve("build.gradle.kts"));
    TreeSet<BuildFacts.Dependency> common = dependencies(parent, coordinatesOf);
    TreeSet<String> excluded = excluded(parent);
    Map<String, TreeSet<BuildFacts.Dependency>> dependencies = new TreeMap<>();
    for (String module : modules) {
      String script = Files.readString(root.resolve(module).resolve("build.gradle.kts"));
      TreeSet<BuildFacts.Dependency> own = dependencies(script, coordinatesOf);
      excluded.addAll(excluded(script));
      if (!script.contains("constraints {")) {
        own.addAll(common);
      }
      dependencies.put(module, own);
    }
    return new BuildFacts(modules, versions, versionOf, dependencies, excluded, tags(parent));
  }

  private static TreeSet<String> tags(String script) {
    Matcher special = SPECIAL.matcher(script);
    TreeSet<String> tags = new TreeSet<>();
    if (special.find()) {
      INCLUDED.matcher(special.group(1)).results().forEach(tag -> tags.add(tag.group(1)));
    }
    return tags;
  }

  private static TreeSet<BuildFacts.Dependency> dependencies(
      String script, Map<String, String> coordinatesOf) {
    TreeSet<BuildFacts.Dependency> found = new TreeSet<>();
    Matcher line = DEPENDENCY.matcher(script);
    while (line.find()) {
      if (line.group(2).startsWith("platform(")) {
        continue;
      }
      found.add(
          new BuildFacts.Dependency(
              name(line.group(2), coordinatesOf), line.group(1).startsWith("test")));
    }
    // Optional for those who use the module; its tests need it all the same.
    TreeSet<BuildFacts.Dependency> all = new TreeSet<>(found);
    found.removeIf(one -> one.test() && all.contains(new BuildFacts.Dependency(one.name(), false)));
    return found;
  }

  /** As the script of all modules names its archive. */
  static String artifact(String path) {
    String name = path.substring(path.lastIndexOf(':') + 1);
    return switch (path.substring(0, path.length() - name.length())) {
      case "agent-runtime:" ->
          switch (name) {
            case "bom", "spring-boot-starter" -> "colony-" + name;
            default -> "agent-" + name;
          };
      case "vcm-cache:" -> name.equals("pages") ? "vcm-cache" : "vcm-" + name;
      case "inference-gateway:" ->
          switch (name) {
            case "gateway", "langchain4j" -> "inference-" + name;
            default -> name;
          };
      default -> name;
    };
  }

  private static TreeSet<String> excluded(String script) {
    return EXCLUDED
        .matcher(script)
        .results()
        .map(match -> match.group(1) + ":" + match.group(2))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String name(String notation, Map<String, String> coordinatesOf) {
    Matcher project = PROJECT.matcher(notation);
    if (project.matches()) {
      return ":" + artifact(project.group(1)) + (project.group(2) == null ? "" : "#tests");
    }
    Matcher catalog = CATALOG.matcher(notation);
    if (catalog.matches() && coordinatesOf.containsKey(catalog.group(1))) {
      return coordinatesOf.get(catalog.group(1));
    }
    Matcher classified = CLASSIFIED.matcher(notation);
    if (classified.matches()) {
      return classified.group(1) + ":" + classified.group(2);
    }
    throw new IllegalStateException("a dependency that this reader does not know: " + notation);
  }
}
