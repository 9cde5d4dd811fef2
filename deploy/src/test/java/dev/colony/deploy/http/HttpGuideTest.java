package dev.colony.deploy.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.deploy.access.AccessKey;
import dev.colony.deploy.access.AccessSettings;
import dev.colony.deploy.access.Principal;
import dev.colony.deploy.access.Role;
import dev.colony.deploy.cli.ColonyCommand;
import dev.colony.deploy.local.LoopbackNodes;
import dev.colony.deploy.node.Node;
import dev.colony.deploy.node.NodeConfig;
import dev.colony.deploy.node.NodeOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What docs/http.md and docs/access.md show is so. */
class HttpGuideTest {

  private static final Pattern CURL = Pattern.compile("(?m)^\\$ curl (.*)$");
  private static final Pattern COLONY_URI = Pattern.compile("(?m)^\\$ export COLONY=(.*)$");
  private static final Pattern COLONY = Pattern.compile("(?m)^\\$ \\./colony (.*)$");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
  private static final Pattern PROBLEM = Pattern.compile("(?m)^\\| ([\\d, ]+) \\| (`[^|]*) \\|");
  private static final Pattern CODE = Pattern.compile("`([a-z-]+)`");
  private static final Pattern SETTING = Pattern.compile("`(colony\\.(?:http|access)\\.[a-z.-]+)`");
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
    String page = page("http.md");
    String exports = "export COLONY=" + found(COLONY_URI, page).getFirst() + "\n";
    List<String> commands = found(CURL, page);
    assertThat(commands).hasSizeGreaterThan(15);
    RedisServerProcess redis =
        RedisServerProcess.ensure(ServerSettings.fromConfig(config, folder.resolve("redis")));
    try (Node node = Node.start(nodeAt(redis.uri()), config)) {
      Map<String, String> environment =
          new HashMap<>(
              Map.of("API", node.api(), "KEY", KEY, "CURL_HOME", folder.toString(), "RUN", ""));
      for (String command : commands) {
        String answer = run(exports + "curl " + command, environment);
        if (command.endsWith("/reviewer/runs\"")) {
          environment.put("RUN", new ObjectMapper().readTree(answer).path("runId").asText());
        }
      }
    } finally {
      redis.stop();
    }
  }

  private static NodeOptions nodeAt(String redis) {
    return new LoopbackNodes(
            0, new LoopbackNodes.Api.Usual(0), List.of(), redis, Optional.empty(), Optional.empty())
        .options(1)
        .getFirst();
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
  void everyCommandLineIsUnderstood() throws Exception {
    List<String> commands = found(COLONY, page("access.md"));
    assertThat(commands).isNotEmpty();
    for (String command : commands) {
      assertThatCode(() ->
              new CommandLine(new ColonyCommand())
                  .setCaseInsensitiveEnumValuesAllowed(true)
                  .parseArgs(words(command).toArray(String[]::new)))
          .as(command)
          .doesNotThrowAnyException();
    }
  }

  @Test
  void everyCodeOfOursIsListedWithItsStatus() throws Exception {
    Set<String> listed = new TreeSet<>();
    Matcher rows = PROBLEM.matcher(page("http.md"));
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
    for (String page : List.of("http.md", "access.md")) {
      assertThat(found(SETTING, page(page)))
          .isNotEmpty()
          .allMatch(path -> ConfigFactory.load().hasPath(path));
    }
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(line);
    while (matcher.find()) {
      words.add(
          Stream.of(1, 2, 3)
              .map(matcher::group)
              .filter(java.util.Objects::nonNull)
              .findFirst()
              .orElseThrow());
    }
    return words;
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult one) -> one.group(1)).toList();
  }

  private static String page(String name) throws Exception {
    return Files.readString(Path.of("../docs", name));
  }
}
