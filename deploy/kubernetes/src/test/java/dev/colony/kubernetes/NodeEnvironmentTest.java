package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigResolveOptions;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.node.HostPort;
import dev.colony.server.node.Joining;
import dev.colony.server.node.Listening;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
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

  @Test
  void withoutTheApiNoneIsServed() {
    assertThat(settings(ChartFolder.example("minimal")).options().api()).isEmpty();
  }

  /** Only what the environment says, whatever that of the tests is. */
  private static NodeSettings settings(Path values) {
    Config reference =
        ConfigFactory.parseFile(
            ProjectRoot.find().resolve("deploy/server/src/main/resources/reference.conf").toFile());
    Config environment =
        ConfigFactory.parseMap(PodEnvironment.of(ChartFolder.manifest(values).node()));
    return NodeSettings.fromConfig(
        environment.withFallback(reference).resolve(ConfigResolveOptions.noSystem()),
        Optional.empty());
  }
}
