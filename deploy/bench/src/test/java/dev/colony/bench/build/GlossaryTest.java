package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each type that the glossary names is there, and each test that the table of the seeds names. */
class GlossaryTest {

  private static final Pattern TYPE = Pattern.compile("(?m)^\\|.*\\| `(\\w+)` \\|$");
  private static final Pattern DECLARED =
      Pattern.compile("(?m)^\\s*(?!\\*|//)[\\w\\s@-]*\\b(?:class|record|interface|enum) (\\w+)");
  private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");

  @Test
  void everyTypeIsThere() throws IOException {
    Path root = ProjectRoot.find();
    List<String> named =
        TYPE.matcher(Files.readString(root.resolve("docs/reference/glossary.md")))
            .results()
            .map(row -> row.group(1))
            .toList();
    assertThat(named).hasSizeGreaterThan(40).doesNotHaveDuplicates();
    Set<String> declared = new HashSet<>();
    for (String source : sources(root, "/src/main/java/").values()) {
      DECLARED.matcher(source).results().forEach(type -> declared.add(type.group(1)));
    }
    assertThat(declared).containsAll(named);
  }

  @Test
  void everyBehaviourOfTheSeedsIsShownByTestsThatAreThere() throws IOException {
    Path root = ProjectRoot.find();
    Map<String, String> tests = sources(root, "/src/test/java/");
    List<String> named =
        TEST.matcher(Files.readString(root.resolve("docs/reference/seeds.md")))
            .results()
            .map(test -> test.group(1) + " " + test.group(2))
            .toList();
    assertThat(named)
        .hasSizeGreaterThan(180)
        .allSatisfy(test -> {
          String[] name = test.split(" ");
          assertThat(tests).as("tests").containsKey(name[0]);
          assertThat(tests.get(name[0])).as(test).contains(" " + name[1] + "(");
        });
  }

  /** The text of each Java file below a folder, by the name of its type. */
  private static Map<String, String> sources(Path root, String below) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.toString().contains(below) && file.toString().endsWith(".java"))
          .collect(
              Collectors.toMap(
                  file -> file.getFileName().toString().replace(".java", ""),
                  GlossaryTest::text,
                  String::concat));
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
