package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.node.Started;
import dev.colony.server.KeyRing;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeConfig;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The run that docs/operations/kubernetes.md shows, asked of a node as it is shown there. */
class FirstRunTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern BODY = Pattern.compile("(?ms)^```json\\n(.*?)^```\\n");
  private static final Pattern PATH = Pattern.compile("http://localhost:8080(/v1/[^\\s\"]+)");

  private final Started started = new Started();
  private final String key = AccessKey.random();
  private String page;
  private Node node;

  @TempDir private Path folder;

  @BeforeEach
  void start() throws IOException {
    page = Files.readString(ProjectRoot.find().resolve("docs/operations/kubernetes.md"));
    Principal ci = new Principal("ci", "acme", Role.OPERATOR);
    Path keys =
        Files.writeString(
            folder.resolve("keys.json"),
            new KeyRing(List.of(AccessKey.of(ci, key))).toJson().toString());
    Config config =
        ConfigFactory.parseMap(
                Map.of(
                    "pekko.cluster.jmx.enabled", "off", "colony.access.keys-file", keys.toString()))
            .withFallback(NodeConfig.base(Optional.empty()));
    RedisServerProcess redis =
        RedisServerProcess.ensure(ServerSettings.fromConfig(config, folder.resolve("redis")));
    started.add(redis::stop);
    List<Integer> ports = LoopbackPorts.free(2);
    node =
        started.add(
            Node.start(
                new NodeOptions(
                    "colony-0",
                    Listening.at("127.0.0.1", ports.getFirst()),
                    new Joining.Alone(),
                    1,
                    OptionalInt.of(ports.getLast()),
                    redis.uri(),
                    Optional.empty(),
                    Optional.empty()),
                config));
  }

  @AfterEach
  void stop() {
    started.close();
  }

  @Test
  void itEndsWithTheGreeting() throws Exception {
    List<String> paths = PATH.matcher(page).results().map(found -> found.group(1)).toList();
    assertThat(paths).hasSize(2);
    String body = BODY.matcher(page).results().findFirst().orElseThrow().group(1);
    JsonNode asked =
        answer(
            202,
            request(paths.getFirst())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    JsonNode state =
        answer(
            200,
            request(paths.getLast().replace("/RUN?", "/" + asked.get("runId").asText() + "?")));
    assertThat(state.get("ended").asBoolean()).as(state.toString()).isTrue();
    assertThat(state.at("/result/output/greeting").asText()).isEqualTo("hello from Kubernetes");
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(node.api()).resolve(path))
        .header("Authorization", "Bearer " + key);
  }

  private static JsonNode answer(int status, HttpRequest.Builder request) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
      return JSON.readTree(answer.body());
    }
  }
}
