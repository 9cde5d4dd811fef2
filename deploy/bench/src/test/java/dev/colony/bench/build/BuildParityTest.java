package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** The Gradle build and the Maven build describe the same project. */
class BuildParityTest {

  private final BuildFacts maven;
  private final BuildFacts gradle;

  BuildParityTest() throws Exception {
    maven = MavenBuild.read(ProjectRoot.find());
    gradle = GradleBuild.read(ProjectRoot.find());
  }

  @Test
  void theModulesAgree() {
    assertThat(gradle.modules()).hasSize(26).isEqualTo(maven.modules());
  }

  @Test
  void theVersionsAgree() {
    assertThat(gradle.versions()).isNotEmpty().isEqualTo(maven.versions());
    assertThat(gradle.versionOf()).isNotEmpty().isEqualTo(maven.versionOf());
  }

  @Test
  void theDependenciesAgree() {
    maven
        .modules()
        .forEach(module ->
            assertThat(gradle.dependencies().get(module))
                .as(module)
                .isNotEmpty()
                .isEqualTo(maven.dependencies().get(module)));
  }

  @Test
  void whatIsLeftOutAgrees() {
    assertThat(gradle.excluded()).isNotEmpty().isEqualTo(maven.excluded());
  }

  @Test
  void theTagsOfTestsThatRunAloneAgree() {
    assertThat(gradle.tags()).contains("faults", "real").isEqualTo(maven.tags());
  }

  /** What commands run from has all that the command line needs; benches need more. */
  @Test
  void theLauncherFindsWhatBenchesNeed() throws Exception {
    String launcher = Files.readString(ProjectRoot.find().resolve("colony"));
    assertThat(maven.dependencies().get("deploy/bench"))
        .filteredOn(one -> one.name().startsWith(":") && !one.test() && !one.name().equals(":cli"))
        .isNotEmpty()
        .allSatisfy(one ->
            assertThat(launcher).contains("/" + one.name().substring(1) + "-$(version).jar"));
  }
}
