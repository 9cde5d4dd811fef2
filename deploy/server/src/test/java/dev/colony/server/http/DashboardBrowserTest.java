package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.NodeConfig;
import dev.colony.testkit.FakeModel;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A person's way through the dashboard, in a real browser: a run is begun, waits for an approval,
 * is given it and ends; its agent is paused and resumed; a plan and the prompts that led to it are
 * seen, and pages in caches; and with more agents and steps than one looks at. Needs Chromium and
 * npm on the PATH.
 */
@Tag("real")
class DashboardBrowserTest {

  private static final String[] PACKAGES = {"playwright-core@1.65.1", "axe-core@4.14.1"};
  private static final String KEY = "colony_of-the-browser";
  private static final String VIEWER = "colony_of-a-viewer";
  private static final String ADMIN = "colony_of-an-admin";
  private static final long LONGEST_SECONDS = 300;
  private static final String TELLER = "\"policy\": {\"type\": \"chaos.teller\"}";
  private static final int AGENTS = 10_000;
  private static final int SPAWNED_AT_ONCE = 64;
  private static final int STEPS = 5_000;

  /** Where the pictures of the docs stand; written where {@code -Ddocs.write=true} asks for it. */
  private static final Path PICTURES = Path.of("../../docs/operations");

  @TempDir private Path folder;

  @Test
  void aRunIsWatchedAndApprovedAndThePagesInCachesAreSeen() throws Exception {
    Path chromium = onPath("chromium");
    try (FakeModel model = FakeModel.start();
        LocalNodes nodes =
            nodes(
                "colony.inference.models.planner { model = fake, url = \"%s\" }"
                    .formatted(model.uri()))) {
      ApiClient client = ApiClient.at(nodes.api()).key(KEY);
      agent(client, "teller", TELLER, ", \"approveActions\": [\"voice.tell\"]");
      pagesInCaches(nodes, client);
      planned(client, model);
      JsonNode told = ApiClient.parse(walked("dashboard.mjs", chromium, nodes));
      assertThat(told.path("console")).as("errors on the console").isEmpty();
      assertThat(told.path("elsewhere")).as("requests to others").isEmpty();
      assertThat(told.path("violations")).as("of accessibility").isEmpty();
      assertThat(told.path("ended").asText()).isEqualTo("completed");
      assertThat(told.path("resident").asInt()).isPositive();
      assertThat(told.path("wider").asBoolean()).as("wider than a phone").isFalse();
      assertThat(texts(told.path("plan")))
          .contains(
              "Goal: Tell it twice.",
              "first done `voice.tell` {\"millis\":0,\"step\":0}",
              "rest done Tell it again.; after first",
              "second done `voice.tell` {\"millis\":0,\"step\":1}",
              "Ended: completed");
      assertThat(texts(told.path("sections"))).contains("tools", "goals", "plan", "ask");
      assertThat(told.path("sizes")).isNotEmpty().allMatch(size -> size.asInt() > 0);
      assertThat(texts(told.at("/buttons/viewer"))).containsExactly("Forget the key");
      assertThat(texts(told.at("/buttons/operator")))
          .contains("Approve", "Decline", "Pause", "Cancel", "Run", "Suspend tenant acme")
          .contains("Rewind to before it", "Fork here")
          .doesNotContain("Stop");
      assertThat(texts(told.at("/buttons/admin"))).contains("Approve", "Pause", "Stop");
    }
  }

  private static List<String> texts(JsonNode list) {
    return list.valueStream().map(JsonNode::asText).toList();
  }

  @Test
  void tenThousandAgentsAndFiveThousandStepsStayUsable() throws Exception {
    Path chromium = onPath("chromium");
    try (LocalNodes nodes = nodes("")) {
      ApiClient client = ApiClient.at(nodes.api()).key(KEY);
      agent(client, "teller", TELLER, "");
      String run = ApiRig.COLONY + "/agents/teller/runs";
      client
          .post(
              run,
              "{\"input\": {\"steps\": %d, \"millis\": 0}, \"namespace\": \"work\"}"
                  .formatted(STEPS))
          .is(202);
      spawnMany(client);
      ended(client, "teller");
      JsonNode told = ApiClient.parse(walked("dashboard-many.mjs", chromium, nodes));
      System.out.println("%d agents, %d steps: %s".formatted(AGENTS, STEPS, told));
      assertThat(told.path("console")).isEmpty();
      assertThat(told.path("agents").asInt()).isEqualTo(400);
      assertThat(told.path("steps").asInt()).isGreaterThanOrEqualTo(250);
    }
  }

  private LocalNodes nodes(String settings) throws IOException {
    List<AccessKey> all =
        List.of(
            key("ann", Role.OPERATOR, KEY),
            key("vic", Role.VIEWER, VIEWER),
            key("ada", Role.ADMIN, ADMIN));
    String keys = ApiRig.keysOnly(folder, all).keysFile().orElseThrow();
    return new LocalNodes(
        1,
        folder.resolve("redis"),
        LocalNodes.config(
            "colony.access.keys-file = \"%s\"\n%s".formatted(keys, settings),
            NodeConfig.base(Optional.empty())),
        OptionalInt.of(0));
  }

  private static AccessKey key(String name, Role role, String key) {
    return AccessKey.of(new Principal(name, Principal.EVERY_TENANT, role), key);
  }

  /** An agent whose plan of two levels has been carried out. */
  private static void planned(ApiClient client, FakeModel model) {
    model
        .expect("Plan how your goals are reached.")
        .calls(
            "plan",
            Map.of(
                "actions",
                List.of(
                    tell("first", 0),
                    Map.of("name", "rest", "goal", "Tell it again.", "after", List.of("first"))),
                "result",
                "told"));
    model
        .expect("The turn of a part has come.")
        .calls("plan", Map.of("actions", List.of(tell("second", 1)), "result", "told again"));
    agent(
        client,
        "planner",
        "\"policy\": {\"type\": \"colony.cache-aware\"}, \"model\": {\"name\": \"planner\"}",
        "");
    client
        .post(
            ApiRig.COLONY + "/agents/planner/runs",
            """
            {"input": {"goals": "Tell it twice."}, "namespace": "work"}
            """)
        .is(202);
    ended(client, "planner");
  }

  private static Map<String, Object> tell(String name, int step) {
    return Map.of(
        "name", name, "action", "voice.tell", "parameters", Map.of("step", step, "millis", 0));
  }

  private static void ended(ApiClient client, String agent) {
    await()
        .atMost(Duration.ofMinutes(5))
        .until(() -> client.get(ApiRig.COLONY + "/agents/" + agent).json().at("/runs").isEmpty());
  }

  private static void spawnMany(ApiClient client) {
    Semaphore room = new Semaphore(SPAWNED_AT_ONCE);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int n = 0; n < AGENTS; n++) {
        String name = "many-" + n;
        room.acquireUninterruptibly();
        threads.execute(() -> {
          try {
            agent(client, name, TELLER, "");
          } finally {
            room.release();
          }
        });
      }
    }
  }

  private static void agent(ApiClient client, String name, String blueprint, String settings) {
    client
        .post(
            ApiRig.COLONY + "/agents",
            """
            {"name": "%s", "blueprint": {%s, "capabilities":
             [{"type": "chaos.voice", "key": "voice"%s}]}}
            """
                .formatted(name, blueprint, settings))
        .is(201);
  }

  private void pagesInCaches(LocalNodes nodes, ApiClient client) throws IOException {
    Path tree = Files.createDirectories(folder.resolve("tree"));
    Files.writeString(tree.resolve("Tea.java"), "final class Tea { void brew() {} }");
    String page = nodes.store(tree).pages().getFirst().id().value();
    String model = client.get("/v1/models").is(200).json().at("/data/0/id").asText();
    client
        .post(
            "/v1/chat/completions",
            """
            {"model": "%s", "messages": [{"role": "user", "content": "What is brewed?"}],
             "colony": {"pages": ["%s"]}}
            """
                .formatted(model, page))
        .is(200);
  }

  private String walked(String script, Path chromium, LocalNodes nodes) throws Exception {
    try (InputStream stored = getClass().getResourceAsStream("/" + script)) {
      Files.copy(stored, folder.resolve(script));
    }
    run(
        Stream.concat(
                Stream.of(onPath("npm").toString(), "install", "--no-audit", "--no-fund"),
                Stream.of(PACKAGES))
            .toList());
    String pictures =
        Boolean.getBoolean("docs.write") ? PICTURES.toAbsolutePath().normalize().toString() : "";
    return run(
        List.of(
            onPath("node").toString(),
            script,
            nodes.api().toString(),
            chromium.toString(),
            KEY,
            pictures,
            VIEWER,
            ADMIN));
  }

  /** What a program prints, which ends with 0. */
  private String run(List<String> command) throws Exception {
    Path out = folder.resolve("out.txt");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      boolean ended = process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS);
      assertThat(ended && process.exitValue() == 0)
          .as("%s\n%s", command, Files.readString(out))
          .isTrue();
      return Files.readString(out);
    } finally {
      process.destroyForcibly();
    }
  }

  private static Path onPath(String program) {
    Optional<Path> found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .map(folder -> Path.of(folder, program))
            .filter(Files::isExecutable)
            .findFirst();
    assumeTrue(found.isPresent(), program + " is not on the PATH");
    return found.orElseThrow();
  }
}
