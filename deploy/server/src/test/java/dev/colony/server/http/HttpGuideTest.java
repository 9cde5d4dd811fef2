package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeConfig;
import dev.colony.server.node.NodeOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/reference/http.md and docs/operations/access.md show of the API is so. */
class HttpGuideTest {

  private static final Pattern COMMAND = Pattern.compile("(?m)^\\$ api (.*)$");
  private static final Pattern FUNCTION = Pattern.compile("(?m)^\\$ (api\\(\\) .*)$");
  private static final Pattern BODY = Pattern.compile("(?:^| )-d '");
  private static final Pattern COLONY_URI = Pattern.compile("(?m)^\\$ export COLONY=(.*)$");
  private static final Pattern PROBLEM = Pattern.compile("(?m)^\\| ([\\d, ]+) \\| (`[^|]*) \\|");
  private static final Pattern CODE = Pattern.compile("`([a-z-]+)`");
  private static final Pattern SETTING = Pattern.compile("`(colony\\.(?:http|access)\\.[a-z.-]+)`");
  private static final Pattern LIMIT =
      Pattern.compile("(?m)^\\| [^|]+ \\| (`[^|]*`) \\| (\\d[^|]*) \\|$");
  private static final Pattern NAME = Pattern.compile("`([a-z.-]+)`");
  private static final Duration LONGEST = Duration.ofSeconds(30);

  /** What curl ends with after its {@code --max-time}. */
  private static final int TIMED_OUT = 28;

  private static final String KEY = "colony_key-of-the-guide";

  @TempDir private Path folder;

  /**
   * As written, by a shell and curl, one after the other, against a node with a Redis of its own.
   */
  @Test
  void everyCommandOfThePageIsAnsweredAndEnds() throws Exception {
    AccessSettings keys =
        ApiRig.keysOnly(
            folder, List.of(AccessKey.of(new Principal("guide", "*", Role.ADMIN), KEY)));
    Config config =
        ConfigFactory.parseMap(
                Map.of(
                    "pekko.cluster.jmx.enabled",
                    "off",
                    "colony.access.keys-file",
                    keys.keysFile().orElseThrow().toString()))
            .withFallback(NodeConfig.base(Optional.empty()))
            .resolve();
    Files.writeString(folder.resolve(".curlrc"), "silent\nshow-error\nfail-with-body\n");
    String page = page("reference/http.md");
    String given =
        "export COLONY=%s\n%s\n"
            .formatted(found(COLONY_URI, page).getFirst(), found(FUNCTION, page).getFirst());
    List<String> commands = found(COMMAND, page);
    assertThat(commands).hasSizeGreaterThan(15);
    RedisServerProcess redis =
        RedisServerProcess.ensure(ServerSettings.fromConfig(config, folder.resolve("redis")));
    try (Node node = Node.start(nodeAt(redis.uri()), config)) {
      Map<String, String> environment =
          new HashMap<>(
              Map.of("API", node.api(), "KEY", KEY, "CURL_HOME", folder.toString(), "RUN", ""));
      for (String command : commands) {
        String answer = run(given + "api " + command, environment);
        if (command.endsWith("/reviewer/runs\"")) {
          environment.put("RUN", new ObjectMapper().readTree(answer).path("runId").asText());
        }
        if (BODY.matcher(command).find()) {
          String shell = given + "api ";
          looks(command, answer, path -> json(run(shell + '"' + path + '"', environment)));
        }
      }
    } finally {
      redis.stop();
    }
  }

  /** Reads something with the API, by its path as a shell has it. */
  private interface Look {
    JsonNode at(String path) throws Exception;
  }

  /** What a command with a body has done: not that it was answered, but what came of it. */
  private static void looks(String command, String answer, Look look) throws Exception {
    String path = command.replaceFirst(".*\"\\$COLONY([^\"?]*)[^\"]*\"$", "$1");
    switch (path) {
      case "/agents" ->
          assertThat(look.at("$COLONY/agents/reviewer").at("/policy/type").asText())
              .isEqualTo("colony.minimal");
      case "/agents/reviewer/runs" ->
          assertThat(look.at("$COLONY/agents/reviewer/runs/$RUN/found").path("namespace").asText())
              .isEqualTo("review");
      case "/agents/reviewer/runs/$RUN/cancel" ->
          // It ends by itself, unless the node is slow and takes the request first.
          becomes(
              "true",
              () ->
                  BooleanNode.valueOf(
                      Set.of("FAILED", "CANCELLED")
                          .contains(
                              look.at("$COLONY/agents/reviewer/runs/$RUN?namespace=review&wait=5")
                                  .at("/result/status")
                                  .asText())));
      case "/agents/reviewer/suspend" ->
          becomes("SUSPENDED", () -> look.at("$COLONY/agents/reviewer").path("state"));
      case "/agents/reviewer/resume", "/agents/reviewer/approvals/pay-42" ->
          becomes("IDLE", () -> look.at("$COLONY/agents/reviewer").path("state"));
      case "/agents/reviewer/revise" ->
          becomes("memory", () -> look.at("$COLONY/agents/reviewer").at("/capabilities/0/type"));
      case "/suspend" ->
          assertThat(look.at("$API/v1/tenants/acme/suspensions").at("/scopes/0/scope").asText())
              .isEqualTo("tenant:acme:colony:billing");
      case "/resume" ->
          assertThat(look.at("$API/v1/tenants/acme/suspensions").at("/scopes").size()).isZero();
      case "/mcp" -> assertThat(json(answer).at("/result/tools").size()).isPositive();
      case "/purge/agents" -> {
        assertThat(json(answer).path("purged").isArray()).isTrue();
        assertThat(look.at("$COLONY/agents/reviewer").path("state").asText()).isEqualTo("IDLE");
      }
      case "/purge/runs" -> {
        assertThat(json(answer).path("purged").asInt(-1)).isZero();
        look.at("$COLONY/agents/reviewer/runs/$RUN?namespace=review");
      }
      default -> throw new AssertionError("no one looks what comes of " + command);
    }
  }

  private static void becomes(String expected, Callable<JsonNode> found) {
    await()
        .atMost(LONGEST)
        .untilAsserted(() -> assertThat(found.call().asText()).isEqualTo(expected));
  }

  private static JsonNode json(String text) throws Exception {
    return new ObjectMapper().readTree(text);
  }

  private static NodeOptions nodeAt(String redis) {
    return LocalNodes.options(1, redis, OptionalInt.of(0)).getFirst();
  }

  /** What the command says, which ends by itself: with 0, or by the time that it was given. */
  private String run(String command, Map<String, String> environment) throws Exception {
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS);
      String answer = Files.readString(output);
      assertThat(ended).as("%s ends; it said:%n%s", command, answer).isTrue();
      assertThat(process.exitValue())
          .as("%s%n%s", command, answer)
          .isIn(command.contains("--max-time") ? List.of(0, TIMED_OUT) : List.of(0));
      return answer;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void everyCodeOfOursIsListedWithItsStatus() throws Exception {
    Set<String> listed = new TreeSet<>();
    Matcher rows = PROBLEM.matcher(page("reference/http.md"));
    while (rows.find()) {
      List<String> codes = found(CODE, rows.group(2));
      String[] statuses = rows.group(1).split(", ");
      for (int i = 0; i < codes.size(); i++) {
        listed.add(statuses[Math.min(i, statuses.length - 1)] + " " + codes.get(i));
      }
    }
    for (Code code : Code.values()) {
      assertThat(listed).contains(code.problem("").status() + " " + code.problem("").code());
    }
  }

  @Test
  void everySettingExists() throws Exception {
    for (String page : List.of("reference/http.md", "operations/access.md")) {
      assertThat(found(SETTING, page(page)))
          .isNotEmpty()
          .allMatch(path -> ConfigFactory.load().hasPath(path));
    }
  }

  @Test
  void theLimitsAreThoseOfTheConfiguration() throws Exception {
    Config http = ConfigFactory.load().getConfig("colony.http");
    String limits = page("reference/http.md").split("## Limits")[1];
    Matcher rows = LIMIT.matcher(limits);
    int compared = 0;
    while (rows.find()) {
      List<String> names = found(NAME, rows.group(1));
      String[] values = rows.group(2).split(", ");
      assertThat(values).as(rows.group()).hasSameSizeAs(names);
      for (int i = 0; i < values.length; i++) {
        String path =
            names.get(i).startsWith(".")
                ? names.getFirst().split("\\.")[0] + names.get(i)
                : names.get(i);
        assertThat(values[i]).as(path).isEqualTo(inTheSameUnit(http, path, values[i]));
        compared++;
      }
    }
    assertThat(compared).isGreaterThan(5);
  }

  private static String inTheSameUnit(Config config, String path, String value) {
    String unit = value.replaceFirst("\\d+", "");
    return switch (unit) {
      case " MiB" -> config.getBytes(path) / (1024 * 1024) + unit;
      case " s" -> config.getDuration(path).toSeconds() + unit;
      default -> config.getInt(path) + unit;
    };
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult one) -> one.group(1)).toList();
  }

  private static String page(String name) throws Exception {
    return Files.readString(ProjectRoot.find().resolve("docs").resolve(name));
  }
}
