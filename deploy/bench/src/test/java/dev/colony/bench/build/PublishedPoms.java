package dev.colony.bench.build;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The modules that are published, and the poms that Maven has written for them. */
final class PublishedPoms {

  private static final Pattern ARTIFACT =
      Pattern.compile("(?m)^  <artifactId>([\\w-]+)</artifactId>$");

  /**
   * A module.
   *
   * @param pom as it is published; absent where Maven has not built the module
   */
  record Published(String artifact, Path folder, Path pom) {

    boolean hasCode() {
      return Files.isDirectory(folder.resolve("src/main/java"));
    }

    String text() throws Exception {
      return Files.readString(pom);
    }
  }

  private PublishedPoms() {}

  /** All that is not left out of a deployment, in the order of the build. */
  static List<Published> of(Path root) throws Exception {
    List<Published> published = new ArrayList<>();
    for (String module : MavenBuild.read(root).modules()) {
      Path folder = root.resolve(module);
      String pom = Files.readString(folder.resolve("pom.xml"));
      if (!pom.contains("<maven.deploy.skip>true</maven.deploy.skip>")) {
        published.add(
            new Published(
                first(ARTIFACT, pom).orElseThrow(),
                folder,
                folder.resolve("target/published-pom.xml")));
      }
    }
    return published;
  }

  /** What Maven Central asks of a pom, and does not find in this one. */
  static List<String> missing(String pom) {
    return Stream.of(
            "<name>[^<]+</name>",
            "<description>[^<]{20,}</description>",
            "<url>https://[^<]+</url>\\s*<(inceptionYear|licenses)",
            "<license>\\s*<name>Apache-2.0</name>\\s*<url>https://www.apache.org/licenses/LICENSE-2.0",
            "<developer>\\s*<id>[^<]+</id>\\s*<name>[^<]+</name>",
            "<scm\\b[^>]*>\\s*<connection>scm:git:[^<]+</connection>"
                + "\\s*<developerConnection>scm:git:[^<]+</developerConnection>\\s*<url>https://[^<]+</url>")
        .filter(wanted -> !Pattern.compile(wanted).matcher(pom).find())
        .toList();
  }

  /** The values of an element, wherever it stands. */
  static List<String> values(String xml, String element) {
    return Pattern.compile("<%1$s>([^<]*)</%1$s>".formatted(element))
        .matcher(xml)
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  private static Optional<String> first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }
}
