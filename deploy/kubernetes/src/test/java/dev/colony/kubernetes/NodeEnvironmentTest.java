package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigResolveOptions;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.HostPort;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import dev.colony.server.node.NodeSettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a node makes of the environment that the chart gives it. */
class NodeEnvironmentTest {

  private static final Joining BY_API_SERVER =
      new Joining.KubernetesApi(Listening.at(PodEnvironment.ADDRESS, 7626));

  static List<Path> valueFiles() {
    return ChartFolder.valueFiles();
  }

  @ParameterizedTest
  @MethodSource("valueFiles")
  void everyPodIsANodeThatFindsTheOthersByTheApiServer(Path values) {
    NodeOptions node = settings(values).options();
    assertThat(node.name()).isEqualTo("colony-0");
    assertThat(node.remoting()).isEqualTo(Listening.at(PodEnvironment.ADDRESS, 25520));
    assertThat(node.joining()).isEqualTo(BY_API_SERVER);
  }

  @Test
  void productionIsTakenWhole() {
    NodeSettings settings = settings(ChartFolder.example("production"));
    assertThat(settings.tls()).hasValue(Path.of("/etc/colony/tls"));
    assertThat(settings.options())
        .isEqualTo(
            new NodeOptions(
                "colony-0",
                new Listening(new HostPort(PodEnvironment.ADDRESS, 25520), PodEnvironment.ADDRESS),
                BY_API_SERVER,
                3,
                OptionalInt.of(8080),
                "rediss-sentinel://colony:redis-access@sentinel-0.redis:26379,"
                    + "sentinel-1.redis:26379,sentinel-2.redis:26379#colony",
                Optional.of(URI.create("http://vllm.models:8000/v1")),
                Optional.empty()));
  }

  @Test
  void replicasAreCalledWhereTheyAre() {
    assertThat(settings(ChartFolder.example("external-replicas")).options().modelUrl())
        .hasValue(URI.create("http://vllm-0.vllm.models:8000/v1"));
    assertThat(settings(ChartFolder.example("vllm")).options().modelUrl())
        .hasValue(URI.create("http://10.1.2.3:8000/v1"));
    assertThat(settings(ChartFolder.example("trial")).options().modelUrl()).isEmpty();
  }

  /** Every setting of the replicas that the chart knows comes out as the node's setting. */
  @Test
  void listedReplicasAreThoseOfTheValues(@TempDir Path folder) throws Exception {
    ReplicaSettings shared = replicas(ChartFolder.example("shared-replicas"));
    assertThat(shared.kubernetes()).hasValue("vllm:8000");
    assertThat(shared.kvEvents().port()).isEqualTo(5557);
    assertThat(shared.kvEvents().replayPort()).isEqualTo(5558);
    assertThat(replicas(ChartFolder.example("trial")).listed()).isFalse();
    Path values = folder.resolve("values.yaml");
    Files.writeString(
        values,
        "{tls: {insecure: true}, model: {replicas: {servers: ['http://a:8000/v1',"
            + " 'http://b/v1']}}}");
    assertThat(replicas(values).addresses())
        .containsExactly(URI.create("http://a:8000/v1"), URI.create("http://b/v1"));
    Files.writeString(
        values, "{tls: {insecure: true}, model: {replicas: {dns: 'http://models:8000/v1'}}}");
    assertThat(replicas(values).dns()).hasValue("http://models:8000/v1");
  }

  @Test
  void withoutTheApiNoneIsServed() {
    assertThat(settings(ChartFolder.example("minimal")).options().api()).isEmpty();
  }

  /** Only what the environment says, whatever that of the tests is. */
  private static NodeSettings settings(Path values) {
    return NodeSettings.fromConfig(config("deploy/server", values), Optional.empty());
  }

  private static ReplicaSettings replicas(Path values) {
    return ReplicaSettings.fromConfig(config("inference-gateway/gateway", values));
  }

  private static Config config(String module, Path values) {
    Config reference =
        ConfigFactory.parseFile(
            ProjectRoot.find().resolve(module + "/src/main/resources/reference.conf").toFile());
    Config environment =
        ConfigFactory.parseMap(PodEnvironment.of(ChartFolder.manifest(values).node()));
    return environment.withFallback(reference).resolve(ConfigResolveOptions.noSystem());
  }
}
