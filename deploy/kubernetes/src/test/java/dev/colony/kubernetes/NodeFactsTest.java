package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.node.NodeConfig;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the chart says of a node is what the node takes and does. */
class NodeFactsTest {

  /** Used within other variables, and known to no node. */
  private static final Set<String> PARTS = Set.of("COLONY_REDIS_PASSWORD", "COLONY_NODE_INDEX");

  @TempDir private Path folder;

  static List<Path> valueFiles() {
    return ChartFolder.valueFiles();
  }

  @ParameterizedTest
  @MethodSource("valueFiles")
  void theSettingsAreTakenAndExist(Path values) throws IOException {
    Manifest manifest = ChartFolder.manifest(values);
    String given = manifest.one(ConfigMap.class, "colony").getData().get("colony.conf");
    Path file =
        Files.writeString(
            folder.resolve("colony.conf"), "COLONY_NODE_HOST = \"10.1.2.3\"\n" + given);
    Config base = NodeConfig.base(Optional.of(file));
    Config known = NodeConfig.base(Optional.empty());
    ConfigFactory.parseFile(file.toFile())
        .resolve()
        .withoutPath("COLONY_NODE_HOST")
        .entrySet()
        .forEach(setting -> {
          assertThat(known.hasPathOrNull(setting.getKey()) || pekko(setting.getKey()))
              .as(setting.getKey())
              .isTrue();
          assertThat(base.getValue(setting.getKey())).isEqualTo(setting.getValue());
        });
  }

  /** The libraries' settings are there where they are used: with discovery by the API server. */
  private static boolean pekko(String path) {
    return ConfigFactory.load().hasPath(path);
  }

  @Test
  void theReplicaInsideANodeIsReachedByTheOthers() throws IOException {
    Manifest manifest = ChartFolder.manifest(ChartFolder.example("trial"));
    Config settings =
        ConfigFactory.parseString(
                "COLONY_NODE_HOST = \"10.1.2.3\"\n"
                    + manifest.one(ConfigMap.class, "colony").getData().get("colony.conf"))
            .resolve();
    assertThat(settings.getString("colony.inference.embedded.host")).isEqualTo("10.1.2.3");
    assertThat(settings.getInt("colony.inference.embedded.port"))
        .isEqualTo(ports(manifest).get("model"));
  }

  @Test
  void theSelectorMeansThePodsOfTheRelease() {
    Manifest manifest = ChartFolder.manifest(ChartFolder.DEFAULTS);
    String selector =
        ConfigFactory.parseString(
                "COLONY_NODE_HOST = x\n"
                    + manifest.one(ConfigMap.class, "colony").getData().get("colony.conf"))
            .getString("pekko.discovery.kubernetes-api.pod-label-selector");
    Map<String, String> labels =
        Stream.of(selector.split(","))
            .map(part -> part.split("="))
            .collect(Collectors.toMap(part -> part[0], part -> part[1]));
    assertThat(manifest.selected(labels)).containsExactly(manifest.nodes());
  }

  @Test
  void thePortsAreTheNodes() {
    Config defaults = NodeConfig.base(Optional.empty());
    Map<String, Integer> ports = ports(ChartFolder.manifest(ChartFolder.DEFAULTS));
    assertThat(ports)
        .containsEntry("remoting", defaults.getInt("colony.node.port"))
        .containsEntry("management", defaults.getInt("colony.node.management.port"))
        .containsEntry("http", defaults.getInt("colony.http.port"));
    assertThat(ports)
        .containsKey(
            ConfigFactory.parseResources("colony-kubernetes.conf")
                .getString("pekko.management.cluster.bootstrap.contact-point-discovery.port-name"));
  }

  @Test
  void theProbesAskWhatTheNodeAnswers() {
    Config health = ConfigFactory.load().getConfig("pekko.management.health-checks");
    Container node = ChartFolder.manifest(ChartFolder.DEFAULTS).node();
    assertThat(path(node.getStartupProbe())).isEqualTo("/" + health.getString("startup-path"));
    assertThat(path(node.getReadinessProbe())).isEqualTo("/" + health.getString("readiness-path"));
    assertThat(path(node.getLivenessProbe())).isEqualTo("/" + health.getString("liveness-path"));
    assertThat(node.getLivenessProbe().getTimeoutSeconds() * 1000L)
        .isGreaterThan(health.getDuration("check-timeout").toMillis());
  }

  /** Nodes whose model has come wait for those whose model still comes. */
  @Test
  void nodesLookForEachOtherAsLongAsModelsMayLoad() {
    Manifest manifest = ChartFolder.manifest(ChartFolder.example("vllm"));
    Probe model = Manifest.containers(manifest.nodes()).getFirst().getStartupProbe();
    String join =
        manifest.node().getEnv().stream()
            .filter(variable -> variable.getName().equals("COLONY_NODE_JOIN_TIMEOUT"))
            .map(EnvVar::getValue)
            .findFirst()
            .orElseThrow();
    assertThat(ConfigFactory.parseString("join = " + join).getDuration("join").toSeconds())
        .isGreaterThanOrEqualTo((long) model.getPeriodSeconds() * model.getFailureThreshold());
  }

  /** A variable that no node reads would be a setting without effect. */
  @Test
  void everyVariableIsRead() throws IOException {
    Set<String> variables = new TreeSet<>();
    for (Path values : valueFiles()) {
      ChartFolder.manifest(values).node().getEnv().stream()
          .map(EnvVar::getName)
          .filter(name -> name.startsWith("COLONY_"))
          .forEach(variables::add);
    }
    assertThat(variables).contains("COLONY_NODE_HOST", "COLONY_NODE_TLS").containsAll(PARTS);
    variables.removeAll(PARTS);
    String sources = sources();
    assertThat(variables).allMatch(sources::contains);
  }

  private static String sources() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String module :
        List.of("blackboard", "inference-gateway/gateway", "deploy/server", "deploy/cli")) {
      try (Stream<Path> files =
          Files.walk(ProjectRoot.find().resolve(module).resolve("src/main"))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          if (file.toString().matches(".*\\.(java|conf|xml)")) {
            all.append(Files.readString(file));
          }
        }
      }
    }
    return all.toString();
  }

  private static String path(Probe probe) {
    return probe.getHttpGet().getPath();
  }

  private static Map<String, Integer> ports(Manifest manifest) {
    return manifest.node().getPorts().stream()
        .collect(Collectors.toMap(ContainerPort::getName, ContainerPort::getContainerPort));
  }
}
