package dev.colony.blackboard.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.server.TestUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What docs/concepts/blackboard.md shows is what {@link GuideExamplesTest} runs. */
class GuideTest {

  private static final Path EXAMPLES =
      Path.of("src/test/java/dev/colony/blackboard/guide/GuideExamplesTest.java");
  private static final Pattern EXAMPLE =
      Pattern.compile("(?ms)^ *// guide: ([a-z-]+)\\n(.*?)^ *// guide end\\n");
  private static final Pattern PAUSE =
      Pattern.compile("(?ms)^ *// guide pause\\n.*?^ *// guide resume\\n");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```([a-z]*)\\n(.*?)^```\\n");
  private static final Pattern REASON =
      Pattern.compile("(?m)^\\| `([A-Z_]+)` \\| [^|]+ \\| [^|]+ \\| (yes|no) \\|$");

  private final String guide = Files.readString(Path.of("../../docs/concepts/blackboard.md"));
  private final String examples = Files.readString(EXAMPLES);

  GuideTest() throws IOException {}

  @Test
  void everyCodeBlockIsAnExampleThatRuns() {
    List<String> shown =
        BLOCK
            .matcher(guide)
            .results()
            .filter(block -> !block.group(1).equals("redis"))
            .peek(block -> assertThat(block.group(1)).isEqualTo("java"))
            .map(block -> block.group(2))
            .toList();
    List<String> run =
        EXAMPLE
            .matcher(examples)
            .results()
            .map(example -> PAUSE.matcher(example.group(2)).replaceAll(""))
            .map(code -> code.stripTrailing().stripIndent() + "\n")
            .toList();
    assertThat(run).hasSizeGreaterThan(10);
    assertThat(shown).containsExactlyInAnyOrderElementsOf(run);
  }

  @Test
  void theRedisUserIsTheOneThatTheTestsConnectAs() {
    List<String> commands =
        BLOCK
            .matcher(guide)
            .results()
            .filter(block -> block.group(1).equals("redis"))
            .map(block -> block.group(2).replaceAll("\\s+", " ").strip())
            .toList();
    assertThat(commands).containsExactly("ACL SETUSER colony on >PASSWORD " + TestUser.RULES);
  }

  @Test
  void everyReasonIsListedWithWhetherToTryAgain() {
    Map<String, Boolean> listed =
        REASON
            .matcher(guide)
            .results()
            .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2).equals("yes")));
    assertThat(listed)
        .isEqualTo(
            Arrays.stream(Reason.values())
                .collect(Collectors.toMap(Reason::name, Reason::retryable)));
  }
}
