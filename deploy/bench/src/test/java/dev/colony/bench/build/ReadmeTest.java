package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.colony.cli.ColonyCommand;
import dev.colony.cli.exit.ExitCode;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the README shows exists; the commands of the examples and of the image are held to it where
 * these are. That it works, the tests of the commands say.
 */
class ReadmeTest {

  private static final Pattern COMMAND =
      Pattern.compile("(?m)^\\$ \\./colony (?!example |image\\b)([^#\\n]*)");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
  private static final Pattern EXIT_STATUS = Pattern.compile("(?m)^\\| (\\d+) \\| ");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^):]+)\\)");
  private static final Pattern SETTING = Pattern.compile("`(colony\\.[a-z.-]+)");

  private final Path root = ProjectRoot.find();
  private final String readme;

  ReadmeTest() throws IOException {
    readme = Files.readString(root.resolve("README.md"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "docs/access.md"})
  void everyCommandLineIsUnderstood(String page) throws IOException {
    List<String> commands = groups(COMMAND, Files.readString(root.resolve(page)));
    assertThat(commands).isNotEmpty();
    for (String command : commands) {
      assertThatCode(() -> ColonyCommand.commandLine().parseArgs(words(command)))
          .as(command)
          .doesNotThrowAnyException();
    }
  }

  private static String[] words(String command) {
    return WORD.matcher(command)
        .results()
        .map(word ->
            IntStream.rangeClosed(1, word.groupCount())
                .mapToObj(word::group)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow())
        .toArray(String[]::new);
  }

  @Test
  void everyExitStatusIsListed() {
    assertThat(groups(EXIT_STATUS).stream().map(Integer::valueOf).toList())
        .containsExactlyElementsOf(Arrays.stream(ExitCode.values()).map(ExitCode::status).toList());
  }

  @Test
  void everyLinkLeadsSomewhere() {
    assertThat(groups(LINK)).isNotEmpty().allMatch(this::leadsSomewhere);
  }

  /** Whether the file of a link exists and, where the link names a heading, has it. */
  private boolean leadsSomewhere(String link) {
    String[] parts = link.split("#", 2);
    Path file = root.resolve(parts[0].isEmpty() ? "README.md" : parts[0]);
    if (!Files.exists(file) || parts.length == 1) {
      return Files.exists(file);
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith("#"))
          .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
          .map(title -> title.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
          .anyMatch(parts[1]::equals);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void everySettingExists() {
    Map<String, Boolean> known =
        groups(SETTING).stream()
            .collect(
                Collectors.toMap(
                    path -> path,
                    path -> com.typesafe.config.ConfigFactory.load().hasPathOrNull(path),
                    (one, other) -> one,
                    TreeMap::new));
    assertThat(known).isNotEmpty().doesNotContainValue(false);
  }

  private List<String> groups(Pattern pattern) {
    return groups(pattern, readme);
  }

  private static List<String> groups(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
  }
}
