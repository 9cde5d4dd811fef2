package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each type that the glossary names is there. */
class GlossaryTest {

  private static final Pattern TYPE = Pattern.compile("(?m)^\\|.*\\| `(\\w+)` \\|$");

  @Test
  void everyTypeIsThere() throws IOException {
    Path root = ProjectRoot.find();
    List<String> named =
        TYPE.matcher(Files.readString(root.resolve("docs/glossary.md")))
            .results()
            .map(row -> row.group(1))
            .toList();
    assertThat(named).hasSizeGreaterThan(40).doesNotHaveDuplicates();
    assertThat(sources(root)).containsAll(named);
  }

  private static Set<String> sources(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.toString().contains("/src/main/java/"))
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".java"))
          .map(name -> name.substring(0, name.length() - ".java".length()))
          .collect(Collectors.toSet());
    }
  }
}
