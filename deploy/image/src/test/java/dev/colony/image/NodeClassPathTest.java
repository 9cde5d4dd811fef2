package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of ours a node of the image can load. */
class NodeClassPathTest {

  @Test
  void itHasTheServerAndNeitherBenchesNorTestsNorTheTestkit(@TempDir Path folder)
      throws IOException {
    Set<String> packages = new TreeSet<>();
    for (Path jar : Project.distribution(folder)) {
      try (JarFile file = new JarFile(jar.toFile())) {
        file.stream()
            .map(JarEntry::getName)
            .filter(name -> name.endsWith(".class") && name.startsWith("dev/colony/"))
            .map(name -> name.replaceFirst("^dev/colony/([^/]+/[^/]+).*", "$1"))
            .forEach(packages::add);
      }
    }
    assertThat(packages)
        .contains("server/node", "cli/Main.class")
        .noneMatch(
            name -> name.matches("(bench|image|kubernetes|examples|testkit)/.*|.*Test\\.class"));
  }
}
