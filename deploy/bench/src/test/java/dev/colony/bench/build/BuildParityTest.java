package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
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
    assertThat(gradle.modules()).hasSize(20).isEqualTo(maven.modules());
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
}
