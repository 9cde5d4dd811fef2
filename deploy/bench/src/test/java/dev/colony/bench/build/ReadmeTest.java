package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.cli.ColonyCommand;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the README, the other pages at the root, those of the folders and those of docs show exists;
 * the commands of the examples are held to it where these are. That it works, the tests of the
 * commands say.
 */
class ReadmeTest {

  private static final Pattern COMMAND =
      Pattern.compile("(?m)^\\$ \\./colony (?!example )([^#\\n]*)");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
  private static final Pattern EXIT_STATUS = Pattern.compile("(?m)^\\| (\\d+) \\| ");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^):]+)\\)");

  /** Of a part and a key at least: types that are registered have names of one piece. */
  private static final Pattern SETTING = Pattern.compile("`(colony\\.[a-z-]+\\.[a-z.-]+[a-z])`");

  private static final Pattern LISTED = Pattern.compile("(?m)^- \\[[^\\]]+]\\((\\S+)\\): .+");
  private static final Pattern DECISION = Pattern.compile("(?m)^### (\\d+)\\. ");

  /** As many lines as a reader takes in before the first link is followed. */
  private static final int README_LINES = 200;

  private static final Path ROOT = ProjectRoot.find();

  static List<Path> pages() throws Exception {
    List<Path> pages = new ArrayList<>(documents());
    for (Path folder : folders()) {
      pages.add(folder.resolve("README.md"));
    }
    for (String page : List.of("README", "AGENTS", "CHANGELOG", "SECURITY")) {
      pages.add(ROOT.resolve(page + ".md"));
    }
    return pages;
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of(ROOT.resolve("CONTRIBUTING.md")),
              docs.filter(file -> file.toString().endsWith(".md")).sorted())
          .toList();
    }
  }

  /** Those at the root that hold modules. */
  private static Set<Path> folders() throws Exception {
    return MavenBuild.read(ROOT).modules().stream()
        .map(module -> ROOT.resolve(module.split("/")[0]))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyCommandLineIsUnderstood(Path page) throws IOException {
    for (String command : groups(COMMAND, page)) {
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
  void everyExitStatusIsListed() throws IOException {
    assertThat(groups(EXIT_STATUS, ROOT.resolve("docs/reference/commands.md")))
        .containsExactlyElementsOf(
            Arrays.stream(ExitCode.values()).map(code -> "" + code.status()).toList());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyLinkLeadsSomewhere(Path page) throws IOException {
    assertThat(groups(LINK, page)).allMatch(link -> leadsSomewhere(page, link));
  }

  /** Whether the file of a link exists and, where the link names a heading, has it. */
  private static boolean leadsSomewhere(Path page, String link) {
    String[] parts = link.split("#", 2);
    Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
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

  @ParameterizedTest
  @MethodSource("pages")
  void everySettingExists(Path page) throws IOException {
    Config defaults = ConfigFactory.load();
    assertThat(groups(SETTING, page)).allMatch(defaults::hasPathOrNull);
  }

  @Test
  void theReadmeIsShort() throws IOException {
    assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThan(README_LINES);
  }

  @Test
  void everyPageIsListedOnce() throws IOException {
    Path index = ROOT.resolve("docs/README.md");
    assertThat(groups(LISTED, index).stream().map(link -> index.resolveSibling(link).normalize()))
        .containsExactlyInAnyOrderElementsOf(
            documents().stream().filter(page -> !page.equals(index)).toList());
  }

  @Test
  void decisionsAreNumberedWithoutAGap() throws IOException {
    List<String> numbers = groups(DECISION, ROOT.resolve("docs/design/decisions.md"));
    assertThat(numbers)
        .hasSizeGreaterThan(40)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, numbers.size()).mapToObj(Integer::toString).toList());
  }

  private static List<String> groups(Pattern pattern, Path page) throws IOException {
    return results(pattern, page).stream().map(found -> found.group(1)).toList();
  }

  private static List<MatchResult> results(Pattern pattern, Path page) throws IOException {
    return pattern.matcher(Files.readString(page)).results().toList();
  }
}
