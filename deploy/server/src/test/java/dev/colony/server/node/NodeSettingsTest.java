package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.node.NodeConfig.SettingsCheck;
import dev.colony.server.node.NodeOptions.HostPort;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import dev.colony.server.node.RedisLease.LeaseTerms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node is told by its environment and its file. */
class NodeSettingsTest {

  private static final String LEASE =
      "pekko.cluster.split-brain-resolver.lease-majority.lease-implementation";

  private static final String GRACE = "colony.agent.model-call-grace";

  @TempDir private Path folder;

  @Test
  void withoutAWordANodeIsAClusterOfItsOwnOnLoopback() {
    NodeOptions options = settings(Map.of()).options();
    assertThat(options.remoting()).isEqualTo(Listening.at("127.0.0.1", 25_520));
    assertThat(options.joining())
        .isEqualTo(
            new Joining.ContactPoints(
                Listening.at("127.0.0.1", 7_626), List.of(new HostPort("127.0.0.1", 7_626))));
    assertThat(options.clusterSize()).isEqualTo(1);
    assertThat(options.api()).hasValue(8_080);
    assertThat(options.modelUrl()).isEmpty();
    assertThat(options.redisUri()).isEqualTo("redis://127.0.0.1:6379");
    assertThat(settings(Map.of()).tls()).isEmpty();
  }

  /** A command would wait for it at its end. */
  @Test
  void aNodeThatIsAloneWaitsForNoOtherToTakeItsSingletonsOver() {
    Config base = NodeConfig.base(Optional.empty());
    Config alone =
        NodeConfig.of(
            NodeOptions.alone("node-1", 1, "redis://r", Optional.empty(), Optional.empty()), base);
    Config joining = NodeConfig.of(settings(Map.of()).options(), base);
    for (String singletons :
        List.of(
            "pekko.cluster.singleton",
            "pekko.cluster.sharding.coordinator-singleton",
            "pekko.cluster.sharded-daemon-process.sharding.coordinator-singleton")) {
      String interval = singletons + ".hand-over-retry-interval";
      assertThat(alone.getDuration(interval)).isLessThan(Duration.ofMillis(100));
      assertThat(joining.getDuration(interval)).isEqualTo(Duration.ofSeconds(1));
    }
  }

  @Test
  void aNodeThatIsAloneDoesNotWaitForModelCalls() {
    Config base = NodeConfig.base(Optional.empty());
    NodeOptions alone =
        NodeOptions.alone("node-1", 1, "redis://r", Optional.empty(), Optional.empty());
    assertThat(NodeConfig.of(alone, base).getDuration(GRACE)).isZero();
    assertThat(NodeConfig.of(settings(Map.of()).options(), base).getDuration(GRACE))
        .isEqualTo(base.getDuration(GRACE))
        .isPositive();
  }

  @Test
  void thePhaseInWhichModelCallsEndIsAsLongAsTheyMayTake() throws Exception {
    String phase = "pekko.coordinated-shutdown.phases.service-unbind.timeout";
    Config usual = NodeConfig.base(Optional.empty());
    NodeOptions options = settings(Map.of()).options();
    assertThat(NodeConfig.of(options, usual).getDuration(phase))
        .isEqualTo(usual.getDuration(phase))
        .isGreaterThan(usual.getDuration(GRACE));
    Path file = Files.writeString(folder.resolve("slow.conf"), GRACE + " = 10m");
    assertThat(NodeConfig.of(options, NodeConfig.base(Optional.of(file))).getDuration(phase))
        .isGreaterThan(Duration.ofMinutes(10));
  }

  @Test
  void aPodIsToldAllByItsEnvironment() {
    NodeSettings pod =
        settings(
            Map.of(
                "COLONY_NODE_NAME", "colony-0",
                "COLONY_NODE_HOST", "10.1.2.3",
                "COLONY_NODE_BIND_HOST", "0.0.0.0",
                "COLONY_NODE_DISCOVERY", "kubernetes-api",
                "COLONY_CLUSTER_SIZE", "2",
                "COLONY_REDIS_URL", "rediss://colony:secret@redis:6380/0",
                "COLONY_MODEL_URL", "http://localhost:8000/v1",
                "COLONY_HTTP_ENABLED", "false",
                "COLONY_NODE_TLS", "/etc/colony/tls"));
    NodeOptions options = pod.options();
    assertThat(options.name()).isEqualTo("colony-0");
    assertThat(options.remoting())
        .isEqualTo(new Listening(new HostPort("10.1.2.3", 25_520), "0.0.0.0"));
    assertThat(options.joining())
        .isEqualTo(
            new Joining.KubernetesApi(new Listening(new HostPort("10.1.2.3", 7_626), "0.0.0.0")));
    assertThat(options.clusterSize()).isEqualTo(2);
    assertThat(options.api()).isEqualTo(OptionalInt.empty());
    assertThat(options.redisUri()).isEqualTo("rediss://colony:secret@redis:6380/0");
    assertThat(options.modelUrl()).map(Object::toString).hasValue("http://localhost:8000/v1");
    assertThat(pod.tls()).hasValue(Path.of("/etc/colony/tls"));
  }

  @Test
  void podsAreFoundByTheApiServerAndALeaseDecides() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("pod.conf"),
            """
            colony.node.discovery = kubernetes-api
            pekko.discovery.kubernetes-api.pod-label-selector = "app=other"
            """);
    Config config = NodeConfig.base(Optional.of(file));
    assertThat(config.getString("pekko.discovery.method")).isEqualTo("kubernetes-api");
    assertThat(config.getString("pekko.cluster.split-brain-resolver.active-strategy"))
        .isEqualTo("lease-majority");
    assertThat(config.getString("pekko.discovery.kubernetes-api.pod-label-selector"))
        .as("the file is stronger than ours")
        .isEqualTo("app=other");
    assertThat(config.getString(LEASE)).isEqualTo("pekko.coordination.lease.kubernetes");
  }

  @Test
  void elsewhereALeaseInRedisDecides() throws Exception {
    Config config = NodeConfig.base(Optional.empty());
    assertThat(config.getString("pekko.cluster.split-brain-resolver.active-strategy"))
        .isEqualTo("lease-majority");
    assertThat(config.getString(LEASE)).isEqualTo("pekko.coordination.lease.redis");
    assertThat(
            config.getDuration("pekko.cluster.split-brain-resolver.lease-majority.release-after"))
        .isEqualTo(LeaseTerms.fromConfig(config).releaseAfter());
    Path file =
        Files.writeString(
            folder.resolve("pod.conf"),
            "colony.node { discovery = kubernetes-api, lease.provider = redis }");
    assertThat(NodeConfig.base(Optional.of(file)).getString(LEASE))
        .isEqualTo("pekko.coordination.lease.redis");
  }

  /** The others decide before the lease of a holder that has died is free, and would all end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pekko.cluster.failure-detector.acceptable-heartbeat-pause = 2s | heartbeat-timeout",
        "pekko.cluster.split-brain-resolver.stable-after = 1s           | heartbeat-timeout",
        "pekko.coordination.lease.redis.heartbeat-timeout = 7s           | heartbeat-timeout",
        "pekko.coordination.lease.redis.heartbeat-interval = 4s          | heartbeat-interval",
        "colony.node.lease.provider = zookeeper                         | one of kubernetes, redis",
      })
  void timesOfTheLeaseThatDoNotFitAreRefused(String line, String named) throws Exception {
    Path file = Files.writeString(folder.resolve("lease.conf"), line);
    assertThatThrownBy(() -> NodeConfig.base(Optional.of(file)))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining(named);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "COLONY_NODE_PORT           | 70000                | colony.node.port",
        "COLONY_NODE_PORT           | many                 | colony.node.port",
        "COLONY_NODE_NAME           | a node               | colony.node.name",
        "COLONY_NODE_HOST           | ''                   | colony.node.host",
        "COLONY_MANAGEMENT_PORT     | 0                    | colony.node.management.port",
        "COLONY_CLUSTER_SIZE        | 0                    | colony.node.cluster-size",
        "COLONY_NODE_DISCOVERY      | dns                  | colony.node.discovery",
        "COLONY_NODE_CONTACT_POINTS | node-1               | colony.node.contact-points",
        "COLONY_NODE_CONTACT_POINTS | node-1:7626,node-2:x | colony.node.contact-points",
        "COLONY_NODE_JOIN_TIMEOUT   | 0s                   | colony.node.join-timeout",
        "COLONY_NODE_JOIN_TIMEOUT   | soon                 | colony.node.join-timeout",
        "COLONY_MODEL_URL           | gpu-1:8000           | colony.node.model-url",
        "COLONY_REDIS_URL           | ''                   | colony.node.redis-url",
        "COLONY_NODE_LEASE          | etcd                 | colony.node.lease.provider",
        "COLONY_HTTP_PORT           | -1                   | colony.http.port",
        "COLONY_HTTP_ENABLED        | maybe                | colony.http.enabled",
      })
  void aBadValueIsRefusedByItsName(String variable, String value, String setting) {
    assertThatThrownBy(() -> SettingsCheck.checked(environment(Map.of(variable, value)), List.of()))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining(setting);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "colony.agent.capacity.agentz = 3",
        "colony { agent { capacity { agents { most = 3 } } } }",
        "colony.agents = ${colony.node.cluster-size}",
      })
  void aKeyOfOursThatIsNoSettingIsRefused(String line) throws Exception {
    Path file = Files.writeString(folder.resolve("slip.conf"), "pekko.own.key = 1\n" + line);
    assertThatThrownBy(() -> NodeConfig.base(Optional.of(file)))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("slip.conf: ")
        .hasMessageContaining("there is no setting colony.agent");
  }

  @Test
  void aMapWithKeysOfOnesOwnTakesAny() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("shares.conf"),
            "colony.agent.capacity.shares { acme = 3, \"a.b\" = 2 }\n");
    assertThat(NodeConfig.base(Optional.of(file)).getInt("colony.agent.capacity.shares.\"a.b\""))
        .isEqualTo(2);
  }

  private static NodeSettings settings(Map<String, String> variables) {
    return NodeSettings.fromConfig(environment(variables), Optional.empty());
  }

  /** Substitutions look into the configuration itself before they look into the environment. */
  private static Config environment(Map<String, String> variables) {
    return ConfigFactory.parseMap(variables)
        .withFallback(ConfigFactory.defaultReferenceUnresolved())
        .resolve();
  }
}
