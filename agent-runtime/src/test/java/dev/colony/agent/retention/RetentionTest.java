package dev.colony.agent.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentHandle;
import dev.colony.agent.AgentRun;
import dev.colony.agent.SessionId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is left of agents, runs and sessions when their time is over: nothing. */
class RetentionTest {

  private static final int RUNS = 300;
  private static final int AGENTS = 10;
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern DAYS = Pattern.compile("(\\d+) days");
  static final Set<String> FOR_GOOD =
      Set.of("colony:buckets", "colony:layout", "colony:journal:layout");

  @Test
  void nothingIsLeftOfWhatHasHadItsTime() {
    try (KeptNode kept =
        new KeptNode(
            """
            colony.agent {
              retention { runs = 1s, progress = 1s, agents = 1s, events = 1s, sweep = 200ms, pause = 1ms }
              session { keep-runs = 1s, keep = 1s }
              client.keep-signals = 1s
              passivate-after = 100ms
            }
            """)) {
      List<AgentHandle> agents = new ArrayList<>();
      for (int i = 0; i < AGENTS; i++) {
        agents.add(kept.spawn("agent-" + i));
        KeptNode.get(kept.sessions().open(new SessionId("s" + i), "test"));
      }
      List<CompletionStage<AgentRun>> runs = new ArrayList<>();
      for (int i = 0; i < RUNS; i++) {
        runs.add(kept.run(agents.get(i % AGENTS), "s" + i % AGENTS));
      }
      assertThat(runs)
          .extracting(run -> KeptNode.get(run).status())
          .containsOnly(AgentRun.Status.COMPLETED);
      System.out.printf("after %d runs: %s%n", RUNS, kinds(kept.keys()));
      assertThat(kept.allKeys()).allMatch(RetentionTest::stands);
      agents.forEach(agent -> KeptNode.get(agent.stop("the test says so")));
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(kept.keys()).isEqualTo(FOR_GOOD));
      assertThat(KeptNode.get(kept.boards.inbox().statistics()).messages()).isZero();
    }
  }

  /** The rows of the table in the page that say where something is stored. */
  private static List<String[]> rows() {
    try {
      return Files.readString(Path.of("../docs/retention.md"))
          .lines()
          .filter(
              line -> line.startsWith("| ") && line.contains("`") && line.split("\\|").length > 5)
          .map(line -> line.split("\\|"))
          .toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static List<String> quoted(String cell) {
    return CODE.matcher(cell).results().map(found -> found.group(1)).toList();
  }

  /** Whether a key stands in the page: an entry as an entry. */
  private static boolean stands(String key) {
    return rows().stream()
        .flatMap(row -> quoted(row[2]).stream())
        .filter(glob -> key.contains("/entry/") == glob.contains("/entry/"))
        .map(glob -> Pattern.quote(glob).replace("*", "\\E.*\\Q"))
        .anyMatch(key::matches);
  }

  @Test
  void thePageHasTheSettingsAsTheyAre() {
    Config config = ConfigFactory.load();
    List<String> settings = new ArrayList<>();
    for (String[] row : rows()) {
      for (String setting : quoted(row[5])) {
        Matcher days = DAYS.matcher(row[4]);
        if (setting.startsWith("colony.") && days.find() && !setting.endsWith(".keep")) {
          assertThat(config.getDuration(setting))
              .as(setting)
              .isEqualTo(Duration.ofDays(Integer.parseInt(days.group(1))));
          settings.add(setting);
        }
      }
    }
    assertThat(settings)
        .contains("colony.agent.retention.runs", "colony.agent.session.keep-runs")
        .hasSizeGreaterThan(5);
    assertThat(config.getDuration("colony.agent.session.keep")).isEqualTo(Duration.ofDays(400));
    assertThat(config.getDuration("colony.agent.history.keep-for")).isEqualTo(Duration.ofDays(30));
  }

  /** How many keys there are of each kind, numbers and names left out. */
  private static TreeMap<String, Long> kinds(Set<String> keys) {
    return keys.stream()
        .map(key -> key.replaceAll("\\{[^}]*}", "{}").replaceAll("(agent-|:s)\\d+", "$1N"))
        .map(key -> key.replaceAll("run:[a-zA-Z0-9:._-]+", "run:*"))
        .collect(Collectors.groupingBy(key -> key, TreeMap::new, Collectors.counting()));
  }
}
