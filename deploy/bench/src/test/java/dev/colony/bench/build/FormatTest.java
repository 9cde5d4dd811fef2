package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Formatter;
import dev.colony.server.fixture.ProjectRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every source file stands as google-java-format writes it. {@code -Dformat=apply} rewrites those
 * that do not.
 */
class FormatTest {

  @Test
  void everySourceFileIsFormatted() throws Exception {
    boolean apply = "apply".equals(System.getProperty("format"));
    Formatter formatter = new Formatter();
    List<Path> unformatted = new ArrayList<>();
    for (Path file : sources()) {
      String source = Files.readString(file);
      String formatted = formatter.formatSourceAndFixImports(source);
      if (!formatted.equals(source)) {
        if (apply) {
          Files.writeString(file, formatted);
        } else {
          unformatted.add(file);
        }
      }
    }
    assertThat(unformatted)
        .as("files to format: mvn verify -pl deploy/bench -am -Dformat=apply rewrites them")
        .isEmpty();
  }

  private static List<Path> sources() throws Exception {
    Path root = ProjectRoot.find();
    List<Path> sources = new ArrayList<>();
    List<String> folders = new ArrayList<>(MavenBuild.read(root).modules());
    // what no code stands in
    folders.remove("agent-runtime/bom");
    folders.add("examples/quickstart");
    for (String folder : folders) {
      try (Stream<Path> files = Files.walk(root.resolve(folder).resolve("src"))) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
      }
    }
    assertThat(sources).isNotEmpty();
    return sources;
  }
}
