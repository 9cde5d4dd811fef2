package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each module's main sources stay within the lines that docs/concepts/architecture.md gives them.
 */
class LineBudgetTest {

  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| (`[^|]+`) \\| ([\\d,]+) \\| [\\d,]+ \\| [^|]*\\|$");
  private static final Pattern FOLDER = Pattern.compile("`([^`]+)`");

  private final Path root = ProjectRoot.find();

  @Test
  void noModuleHasMoreLinesThanItsBudget() throws Exception {
    String document = Files.readString(root.resolve("docs/concepts/architecture.md"));
    Set<String> named = new TreeSet<>();
    for (MatchResult row : ROW.matcher(document).results().toList()) {
      long lines = 0;
      for (MatchResult folder : FOLDER.matcher(row.group(1)).results().toList()) {
        named.add(folder.group(1));
        lines += lines(root.resolve(folder.group(1)).resolve("src/main"));
      }
      assertThat(lines)
          .as("lines of %s; raise its budget in a commit of its own, with the reason", row.group(1))
          .isLessThanOrEqualTo(Long.parseLong(row.group(2).replace(",", "")));
    }
    Set<String> modules = new TreeSet<>(MavenBuild.read(root).modules());
    modules.removeIf(module -> lines(root.resolve(module).resolve("src/main")) == 0);
    assertThat(named).containsAll(modules);
  }

  private static long lines(Path folder) {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      long lines = 0;
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
        try (Stream<String> each = Files.lines(file)) {
          lines += each.count();
        }
      }
      return lines;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
