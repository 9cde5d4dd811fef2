package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.http.ApiClient.Reply;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API of a real node. */
class ServingNodeTest {

  private static final String ORDER =
      """
      {"agent": {"name": "counter", "blueprint": {
         "policy": {"type": "bench.steps", "args": {"steps": 3, "payloadBytes": 10}},
         "capabilities": [{"type": "bench.notes"}]}},
       "input": null, "namespace": "work"}
      """;

  @TempDir private Path folder;

  private Config config;
  private RedisServerProcess redis;

  @BeforeEach
  void start() {
    config = LocalNodes.config("");
    redis = RedisServerProcess.ensure(ServerSettings.fromConfig(config, folder.resolve("redis")));
  }

  @AfterEach
  void end() {
    redis.stop();
  }

  @Test
  void aRunGoesFromItsRequestToItsEndAndStreamsEndWithTheNode() throws Exception {
    Node node = Node.start(options(), config);
    CompletableFuture<List<Event>> watched;
    try {
      ApiClient client = ApiClient.at(URI.create(node.api()));
      Reply cluster = client.get("/v1/cluster").is(200);
      assertThat(cluster.json().path("members").path(0).path("status").asText()).isEqualTo("Up");
      client.get("/v1/pages").is(200);

      String run = client.post(ApiRig.COLONY + "/runs", ORDER).is(202).headers().get("Location");
      JsonNode ended = client.get(run + "&wait=30").is(200).json();
      assertThat(ended.path("result").path("status").asText())
          .as(ended.toString())
          .isEqualTo("COMPLETED");
      assertThat(ended.path("result").path("output").path("noted").asInt()).isEqualTo(3);
      try (Stream<String> lines = client.stream(run.replace("?", "/events?"), Map.of())) {
        assertThat(Event.all(lines)).last().extracting(Event::name).isEqualTo("end");
      }
      assertThat(client.get(ApiRig.COLONY + "/agents/counter").is(200).json().path("steps"))
          .isNotEmpty();
      assertThat(node.metrics().text())
          .contains(",state=\"serving\"} 1", "colony_model_server_prefill_seconds{replica=");

      Iterator<String> lines =
          client.stream("/v1/tenants/acme/board/events?scope=tenant:acme", Map.of()).iterator();
      assertThat(lines.next()).startsWith("id: ");
      watched =
          CompletableFuture.supplyAsync(() -> {
            Stream<String> rest =
                Stream.iterate(lines, Iterator::hasNext, all -> all).map(Iterator::next);
            return Event.all(rest);
          });
    } finally {
      node.close();
    }
    assertThat(watched.join()).isEmpty();
  }

  @Test
  void aModelOfALibraryThatIsNotOnTheClassPathStopsTheStart() {
    Config library =
        ConfigFactory.parseString("colony.inference.models.a.provider = langchain4j")
            .withFallback(config);
    NodeOptions options = options();
    assertThatThrownBy(() -> Node.start(options, library))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessage(
            "configuration: colony.inference.models.a.provider = langchain4j is not on the class"
                + " path, allowed are those that are: []; put its jar there");
  }

  @Test
  void withoutKeysItListensToItsOwnMachineOrNotAtAll() {
    Config everywhere =
        ConfigFactory.parseString("colony.http.host = 0.0.0.0").withFallback(config);
    NodeOptions options = options();
    assertThatThrownBy(() -> Node.start(options, everywhere))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("without keys")
        .hasMessageContaining("colony.access.keys-file")
        .message()
        .doesNotContain("\n");
  }

  private NodeOptions options() {
    return LocalNodes.options(1, redis.uri(), OptionalInt.of(0)).getFirst();
  }
}
