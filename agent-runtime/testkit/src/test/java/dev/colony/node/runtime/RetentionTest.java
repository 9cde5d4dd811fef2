package dev.colony.node.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentRun;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.fixture.Bounds;
import dev.colony.node.AgentListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is left of agents, runs and sessions when their time is over: nothing. */
class RetentionTest {

  private static final int RUNS = 100;
  private static final int AGENTS = 10;
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern DAYS = Pattern.compile("(\\d+) days");

  static final Set<String> FOR_GOOD =
      Set.of(
          "colony:buckets",
          "colony:clock",
          "colony:layout",
          "colony:journal:layout",
          "colony:{j-0}:ticks");

  @Test
  void nothingIsLeftOfWhatHasHadItsTime() {
    try (KeptNode kept =
        new KeptNode(
            """
            colony.agent {
              retention { runs = 1s, progress = 1s, agents = 1s, events = 1s }
              session { keep-runs = 1s, keep = 1s }
              client.keep-signals = 1s
              passivate-after = 100ms
            }
            """,
            Bounds.keeping(Duration.ofMillis(200), 50, Duration.ofMillis(1)))) {
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
      agents.forEach(agent -> KeptNode.get(agent.stop("over")));
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(kept.keys()).isEqualTo(FOR_GOOD));
      assertThat(KeptNode.get(kept.boards.inbox().statistics()).messages()).isZero();
    }
  }

  @Test
  void aPurgedNameIsFreeAlthoughItsActorWouldStayForLong() {
    try (KeptNode kept = new KeptNode("colony.agent.passivate-after = 1h")) {
      for (int life = 0; life < 3; life++) {
        AgentHandle agent = kept.spawn("phoenix");
        assertThat(KeptNode.get(kept.run(agent)).status())
            .as("life %d", life)
            .isEqualTo(AgentRun.Status.COMPLETED);
        KeptNode.get(agent.stop("over"));
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> kept.purge("phoenix", true) instanceof EndedAgents.PurgeReply.Purged);
        assertThat(kept.purge("phoenix", false)).isInstanceOf(EndedAgents.PurgeReply.Purged.class);
      }
    }
  }

  @Test
  void aPurgeThatIsKilledAnywhereIsFinishedByTheNext() {
    try (KeptNode kept = new KeptNode("")) {
      boolean whole = false;
      for (int calls = 0; !whole; calls++) {
        assertThat(calls).as("calls of a purge").isLessThan(50);
        AgentHandle agent = kept.spawn("torn");
        AgentRun run = KeptNode.get(kept.run(agent));
        assertThat(run.status()).as("%s", run).isEqualTo(AgentRun.Status.COMPLETED);
        KeptNode.get(agent.stop("over"));
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> kept.purge("torn", true) instanceof EndedAgents.PurgeReply.Purged);
        whole = kept.purgeKilledBehind(calls, "torn");
        EndedAgents.PurgeReply again = kept.purge("torn", false);
        assertThat(again)
            .as("killed behind call %d: %s", calls, again)
            .isInstanceOf(
                whole ? EndedAgents.PurgeReply.Kept.class : EndedAgents.PurgeReply.Purged.class);
        assertThat(kept.keys())
            .as("killed behind call %d", calls)
            .noneMatch(key -> key.contains("torn") && (key.contains("/entry/") || inJournal(key)));
      }
    }
  }

  @Test
  void aNameThatWasRefusedWhileItWasPurgedIsFreeAtOnce() {
    try (KeptNode kept = new KeptNode("")) {
      AgentHandle agent = kept.spawn("torn");
      KeptNode.get(agent.stop("over"));
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> kept.purge("torn", true) instanceof EndedAgents.PurgeReply.Purged);
      int untilTheJournalIsGone = 2;
      assertThat(kept.purgeKilledBehind(untilTheJournalIsGone, "torn")).isFalse();
      assertThat(KeptNode.get(kept.run(agent)).error())
          .hasValueSatisfying(why -> assertThat(why).contains("what it left is being deleted"));
      assertThat(kept.purge("torn", false)).isInstanceOf(EndedAgents.PurgeReply.Purged.class);
      assertThat(KeptNode.get(kept.run(kept.spawn("torn"))).status())
          .isEqualTo(AgentRun.Status.COMPLETED);
    }
  }

  private static boolean inJournal(String key) {
    return key.startsWith("colony:{j-");
  }

  @Test
  void anAgentThatCannotBePurgedKeepsNoOther() {
    try (KeptNode kept = new KeptNode("")) {
      for (String name : List.of("damaged", "sound")) {
        AgentHandle agent = kept.spawn(name);
        KeptNode.get(agent.stop("over"));
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> kept.purge(name, true) instanceof EndedAgents.PurgeReply.Purged);
      }
      assertThat(kept.purgeAllBut("damaged"))
          .satisfiesExactly(
              damaged ->
                  assertThat(damaged)
                      .isInstanceOfSatisfying(
                          EndedAgents.PurgeReply.Kept.class,
                          stays -> assertThat(stays.reason()).endsWith("its log is damaged")),
              sound -> assertThat(sound).isInstanceOf(EndedAgents.PurgeReply.Purged.class));
    }
  }

  @Test
  void aDryRunSaysWhatWorkIsLeft() {
    try (KeptNode kept = new KeptNode("")) {
      AgentHandle agent = kept.spawn("busy");
      KeptNode.get(kept.run(agent));
      KeptNode.get(agent.stop("over"));
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> kept.purge("busy", true) instanceof EndedAgents.PurgeReply.Purged);
      String slot = kept.outstanding("busy");
      KeptNode.get(kept.connections.commands().sadd(slot, "acme/kept/busy".getBytes(UTF_8)));
      for (boolean dryRun : new boolean[] {true, false}) {
        assertThat(kept.purge("busy", dryRun))
            .isInstanceOfSatisfying(
                EndedAgents.PurgeReply.Kept.class,
                stays -> assertThat(stays.reason()).contains("work left"));
      }
      KeptNode.get(kept.connections.commands().srem(slot, "acme/kept/busy".getBytes(UTF_8)));
      assertThat(kept.purge("busy", true)).isInstanceOf(EndedAgents.PurgeReply.Purged.class);
    }
  }

  @Test
  void whatIsRemovedIsCounted() {
    try (KeptNode kept =
        new KeptNode(
            """
            colony.agent {
              retention { runs = 1s, agents = 1s, events = 1s }
              session { keep-runs = 1s, keep = 1s }
              client.keep-signals = 1s
            }
            """)) {
      KeptNode.get(kept.sessions().open(new SessionId("s"), "test"));
      for (String name : List.of("a", "b")) {
        AgentHandle agent = kept.spawn(name);
        KeptNode.get(kept.run(agent, "s"));
        KeptNode.get(agent.stop("over"));
      }
      Map<AgentListener.Remains, Integer> removed = new EnumMap<>(AgentListener.Remains.class);
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> {
            kept.look((what, count) -> removed.merge(what, count, Integer::sum));
            assertThat(kept.keys()).isEqualTo(FOR_GOOD);
          });
      assertThat(removed)
          .containsEntry(AgentListener.Remains.AGENT, 2)
          .containsEntry(AgentListener.Remains.SESSION, 1);
      assertThat(removed.get(AgentListener.Remains.SCOPE)).isPositive();
    }
  }

  /** The rows of the table in the page that say where something is stored. */
  private static List<String[]> rows() {
    try {
      return Files.readString(Path.of("../../docs/operations/data.md"))
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
