package dev.colony.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.gateway.CallObserver.CacheOutcome;
import dev.colony.node.Started;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import dev.colony.testkit.InstantModel;
import dev.colony.testkit.StepsBench;
import dev.colony.vcm.schedule.EvictionControl;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures of a node whose agents have worked. */
class NodeMetricsTest {

  private static final int AGENTS = 4;
  private static final int STEPS = 5;
  private static final String BEGIN = "<!-- from metrics.md of the server: begin -->\n\n";
  private static final String END = "\n<!-- from metrics.md of the server: end -->";
  private static final Started STARTED = new Started();

  @TempDir private static Path folder;
  private static Node node;

  @BeforeAll
  static void work() {
    Config config = LocalNodes.config("colony.metrics.sample-interval = 1s");
    RedisServerProcess redis = LocalNodes.redis(STARTED, config, folder);
    int port = LoopbackPorts.free(1).getFirst();
    NodeOptions options =
        new NodeOptions(
            "node",
            Listening.at("127.0.0.1", port),
            new Joining.Alone(),
            1,
            OptionalInt.of(0),
            redis.uri(),
            Optional.empty(),
            Optional.empty());
    StepsBench.StepLatencies latencies = new StepsBench.StepLatencies();
    node = STARTED.add(Node.start(options, config, Optional.of(new InstantModel()), latencies));
    new StepsBench(node.colony(), latencies).run(new StepsBench.Load("m", AGENTS, STEPS, 64));
    node.metrics().calls().fellBack("large", "small", Optional.of(Kind.TIMEOUT));
    node.metrics().calls().fellBack("large", "small", Optional.empty());
    node.metrics().calls().cacheTold(EvictionControl.TOUCHES, CacheOutcome.DONE, 100, 5);
    node.metrics().calls().cacheTold(EvictionControl.HINTS, CacheOutcome.UNKNOWN, 0, 0);
    ask("/v1/cluster");
    ask("/v1/nothing");
  }

  private static void ask(String path) {
    URI uri = URI.create(node.api() + path);
    try (HttpClient client = HttpClient.newHttpClient()) {
      client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @AfterAll
  static void end() {
    STARTED.close();
  }

  private static Exposition figures() {
    return Exposition.of(node.metrics().text());
  }

  @Test
  void stepsAndRunsAreCounted() {
    await()
        .untilAsserted(() ->
            assertThat(
                    figures()
                        .value("colony_runs_ended_total{origin=\"request\",status=\"completed\"}"))
                .isEqualTo(AGENTS));
    Exposition figures = figures();
    assertThat(figures.value("colony_runs_accepted_total")).isEqualTo(AGENTS);
    assertThat(figures.value("colony_steps_seconds_count")).isGreaterThanOrEqualTo(AGENTS * STEPS);
    assertThat(figures.sum("colony_agents")).isEqualTo(AGENTS);
    assertThat(figures.value("colony_agent_recoveries_seconds_count"))
        .isGreaterThanOrEqualTo(AGENTS);
  }

  @Test
  void whatTheyNeededIsCounted() {
    Exposition figures = figures();
    assertThat(figures.value("colony_model_calls_seconds_count{outcome=\"ok\"}"))
        .isGreaterThanOrEqualTo(AGENTS * STEPS);
    assertThat(figures.value("colony_model_calls_active")).isZero();
    assertThat(figures.value("colony_journal_appends_seconds_count{outcome=\"stored\"}"))
        .isGreaterThanOrEqualTo(AGENTS * STEPS);
    assertThat(
            figures.value("colony_blackboard_calls_seconds_count{call=\"commit\",outcome=\"ok\"}"))
        .isPositive();
    assertThat(figures.value("colony_blackboard_event_lag_seconds_count")).isPositive();
  }

  @Test
  void whatCachesWereToldIsCountedWithWhatItCost() {
    Exposition figures = figures();
    assertThat(figures.value("colony_model_cache_orders_total{kind=\"touch\",outcome=\"done\"}"))
        .isEqualTo(1);
    assertThat(figures.value("colony_model_cache_orders_total{kind=\"hint\",outcome=\"unknown\"}"))
        .isEqualTo(1);
    assertThat(figures.value("colony_model_cache_touch_tokens_total{kind=\"prompt\"}"))
        .isEqualTo(100);
    assertThat(figures.value("colony_model_cache_touch_tokens_total{kind=\"computed\"}"))
        .isEqualTo(5);
  }

  @Test
  void requestsToTheApiAreCounted() {
    Exposition figures = figures();
    assertThat(
            figures.value(
                "colony_http_requests_seconds_count{operation=\"getCluster\",status=\"2xx\"}"))
        .isEqualTo(1);
    assertThat(
            figures.value("colony_http_requests_seconds_count{operation=\"none\",status=\"4xx\"}"))
        .isEqualTo(1);
    assertThat(figures.value("colony_http_problems_total{code=\"not-found\"}")).isEqualTo(1);
    assertThat(figures.value("colony_http_streams")).isZero();
  }

  @Test
  void theNodeIsSeen() {
    Exposition figures = figures();
    assertThat(figures.value("colony_cluster_members{status=\"up\"}")).isEqualTo(1);
    assertThat(figures.value("colony_redis_available")).isEqualTo(1);
    assertThat(figures.value("colony_slots_waiting")).isZero();
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> {
          assertThat(figures().value("colony_shards")).isPositive();
          assertThat(figures().value("colony_dispatcher_delay_seconds_count")).isPositive();
        });
  }

  @Test
  void callsThatAnotherModelHasAnsweredAreCountedByTheReason() {
    for (String reason : List.of("timeout", "unavailable")) {
      assertThat(
              figures()
                  .value(
                      "colony_model_fallbacks_total{from=\"large\",reason=\"%s\",to=\"small\"}"
                          .formatted(reason)))
          .isEqualTo(1);
    }
  }

  @Test
  void everyFigureIsDescribedAndEveryDescriptionHasItsFigure() {
    Map<String, Exposition.Family> described = new TreeMap<>();
    Map<String, Exposition.Family> required = new TreeMap<>();
    MetricsTable.shipped()
        .rows()
        .forEach((name, row) -> {
          Exposition.Family family = new Exposition.Family(row.type(), row.labels(), row.help());
          described.put(name, family);
          if (row.always()) {
            required.put(name, family);
          }
        });
    Map<String, Exposition.Family> shown = figures().families();
    assertThat(described).containsAllEntriesOf(shown);
    assertThat(shown).containsAllEntriesOf(required);
  }

  @Test
  void thePageShowsTheTables() throws IOException {
    Path document = ProjectRoot.find().resolve("docs/reference/metrics.md");
    String text = Files.readString(document);
    assertThat(text).contains(BEGIN, END);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    int end = text.indexOf(END);
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(
          document, text.substring(0, begin) + MetricsTable.TEXT + text.substring(end));
    } else {
      assertThat(text.substring(begin, end))
          .as("docs/reference/metrics.md; renew it with -Ddocs.write=true")
          .isEqualTo(MetricsTable.TEXT);
    }
  }

  /** As promtool has them, which is asked itself where the machine has it. */
  @Test
  void namesAndHelpKeepTheRulesOfPrometheus() throws Exception {
    String text = node.metrics().text();
    Exposition.of(text)
        .families()
        .forEach((name, family) -> {
          assertThat(name).matches("[a-z][a-z0-9_]*");
          assertThat(family.help()).as(name).isNotBlank();
          assertThat(name.endsWith("_total")).as(name).isEqualTo(family.type().equals("counter"));
          assertThat(name).doesNotMatch(".*_(count|sum|bucket|info|gauge|counter|histogram)");
          assertThat(name)
              .doesNotMatch(
                  ".*_(ns|us|ms|s|m|h|d|b|kb|mb|gb|millis\\w*|minutes|hours|days|weeks)(_.*)?");
        });
    Optional<Path> promtool =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .map(folder -> Path.of(folder, "promtool"))
            .filter(Files::isExecutable)
            .findFirst();
    if (promtool.isPresent()) {
      assertThat(findings(promtool.get(), text)).isEmpty();
    }
  }

  private static String findings(Path promtool, String text) throws Exception {
    Path input = Files.writeString(folder.resolve("metrics.txt"), text);
    Process check =
        new ProcessBuilder(promtool.toString(), "check", "metrics")
            .redirectInput(input.toFile())
            .redirectErrorStream(true)
            .start();
    String findings = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    check.waitFor();
    return findings;
  }
}
