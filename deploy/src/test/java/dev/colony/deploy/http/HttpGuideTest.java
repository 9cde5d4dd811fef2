package dev.colony.deploy.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.typesafe.config.ConfigFactory;
import dev.colony.deploy.access.AccessKey;
import dev.colony.deploy.access.Principal;
import dev.colony.deploy.access.Role;
import dev.colony.deploy.cli.ColonyCommand;
import dev.colony.deploy.http.ApiClient.Reply;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
  private static final Pattern COLONY = Pattern.compile("(?m)^\\$ \\./colony (.*)$");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
  private static final Pattern PROBLEM = Pattern.compile("(?m)^\\| ([\\d, ]+) \\| (`[^|]*) \\|");
  private static final Pattern CODE = Pattern.compile("`([a-z-]+)`");
  private static final Pattern SETTING = Pattern.compile("`(colony\\.(?:http|access)\\.[a-z.-]+)`");
  private static final String KEY = "colony_key-of-the-guide";

  @TempDir private Path folder;

  @Test
  void everyCommandOfThePageIsAnswered() throws Exception {
    try (ApiRig rig = new ApiRig();
        HttpApi api =
            rig.start(
                ApiRig.keys(
                    folder, List.of(AccessKey.of(new Principal("guide", "*", Role.ADMIN), KEY))),
                Map.of("streams.heartbeat", "100ms"))) {
      String run = "";
      List<String> commands = found(CURL, page("http.md"));
      assertThat(commands).hasSizeGreaterThan(15);
      for (String command : commands) {
        Request request = Request.of(command.replace("$RUN", run));
        if (command.startsWith("-N")) {
          streams(api, request);
          continue;
        }
        Reply reply =
            ApiClient.of(api).send(request.method, request.path, request.body, request.headers);
        assertThat(reply.status()).as(command + "\n" + reply.text()).isIn(200, 201, 202);
        if (reply.json().has("runId") && reply.status() == 202) {
          run = reply.json().path("runId").asText();
        }
      }
    }
  }

  private static void streams(HttpApi api, Request request) {
    try (Stream<String> lines = ApiClient.of(api).stream(request.path, request.headers)) {
      Iterator<String> read = lines.iterator();
      assertThat(read.next()).matches(":|id: .*");
    }
  }

  /** A command line of curl, as far as the page uses it. */
  private record Request(String method, String path, String body, Map<String, String> headers) {

    static Request of(String command) {
      List<String> words = words(command);
      String method = "GET";
      String body = "";
      String path = "";
      Map<String, String> headers = new HashMap<>();
      for (Iterator<String> rest = words.iterator(); rest.hasNext(); ) {
        String word = rest.next();
        switch (word) {
          case "-N" -> {}
          case "-X" -> method = rest.next();
          case "-H" -> {
            String[] header = rest.next().replace("$KEY", KEY).split(": ", 2);
            headers.put(header[0], header[1]);
          }
          case "-d" -> {
            body = rest.next();
            method = "POST";
          }
          default ->
              path =
                  word.replace("$COLONY", "/v1/tenants/acme/colonies/billing").replace("$API", "");
        }
      }
      return new Request(method, path, body, headers);
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
