package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the workflows call is there, and they test the oldest JDK that the classes are made for. */
class WorkflowsTest {

  private static final Pattern ACTION = Pattern.compile("uses: (\\S+)");
  private static final Pattern PROFILE = Pattern.compile("-P(\\w+)");
  private static final Pattern MODULE = Pattern.compile("-pl !?([\\w/-]+)");
  private static final Pattern FILE = Pattern.compile("(?:lint |run: \\./|build -f )([\\w./-]+)");
  private static final Pattern TESTED = Pattern.compile("- java: (\\d+)");
  private static final Pattern RELEASE =
      Pattern.compile("<maven\\.compiler\\.release>(\\d+)</maven\\.compiler\\.release>");

  private final Path root = ProjectRoot.find();
  private final String build = Files.readString(root.resolve(".github/workflows/build.yml"));
  private final String all = build + Files.readString(root.resolve(".github/workflows/faults.yml"));
  private final String pom = Files.readString(root.resolve("pom.xml"));

  WorkflowsTest() throws IOException {}

  @Test
  void everyActionIsOfOneMajorVersion() {
    assertThat(groups(ACTION, all)).isNotEmpty().allMatch(action -> action.matches("\\S+@v\\d+"));
  }

  @Test
  void profilesModulesAndFilesAreThere() {
    assertThat(groups(PROFILE, all))
        .contains("jdk21", "faults")
        .allMatch(profile -> pom.contains("<id>" + profile + "</id>"));
    assertThat(groups(MODULE, all))
        .isNotEmpty()
        .allMatch(module -> pom.contains("<module>" + module + "</module>"));
    assertThat(groups(FILE, all))
        .contains(".ci/run", "gradlew", "deploy/image/Dockerfile")
        .allMatch(file -> Files.exists(root.resolve(file)));
  }

  @Test
  void theOldestJdkIsTestedAndANewerOne() {
    List<String> tested = groups(TESTED, build);
    assertThat(tested).containsAll(groups(RELEASE, pom)).hasSizeGreaterThan(1);
  }

  private static List<String> groups(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(found -> found.group(1)).toList();
  }
}
