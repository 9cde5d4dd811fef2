package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The lines that docs/operations/operations.md tells what to do about are those that are said. */
class OperationsTest {

  private static final Pattern ROW = Pattern.compile("(?m)^\\| (.*?) \\|");

  /** What stands for what differs, in the document and in our strings. */
  private static final Pattern HOLE = Pattern.compile("…|\\{\\}|%[sd]|\"");

  private static final int LEAST_QUOTES = 15;

  @Test
  void everyQuotedLineIsOneOfOurs() throws IOException {
    Path root = ProjectRoot.find();
    String said = strings(root);
    String document = Files.readString(root.resolve("docs/operations/operations.md"));
    List<String> quotes =
        ROW.matcher(document).results().flatMap(row -> quotes(row.group(1))).toList();
    assertThat(quotes).hasSizeGreaterThan(LEAST_QUOTES);
    for (String quote : quotes) {
      for (String part : HOLE.split(quote)) {
        assertThat(said.contains(part)).as("\"%s\" of \"%s\" is said", part, quote).isTrue();
      }
    }
  }

  /**
   * What stands between backticks, but for the names of figures and the like: a line has spaces.
   */
  private static Stream<String> quotes(String cell) {
    String[] parts = cell.split("`");
    return IntStream.range(0, parts.length)
        .filter(i -> i % 2 == 1)
        .mapToObj(i -> parts[i])
        .filter(part -> part.contains(" "));
  }

  /** All sources, with the parts of each string in one piece. */
  private static String strings(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.toString().contains("/src/main/java/"))
          .filter(file -> file.toString().endsWith(".java"))
          .map(OperationsTest::joined)
          .collect(Collectors.joining("\n"));
    }
  }

  private static String joined(Path file) {
    try {
      return Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
