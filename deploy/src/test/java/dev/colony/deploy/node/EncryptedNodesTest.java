package dev.colony.deploy.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.Started;
import dev.colony.deploy.local.LoopbackNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.pekko.cluster.Cluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that speak TLS with each other, and others who would like to be among them. */
@Tag("faults")
class EncryptedNodesTest {

  @TempDir private Path folder;

  private final Started started = new Started();

  @AfterEach
  void stop() {
    started.close();
  }

  @Test
  void onlyThoseWithACertificateOfTheirAuthorityAreMembers() throws Exception {
    Path ours = mounted("ours", authority("one"));
    Path foreign = mounted("foreign", authority("two"));
    List<NodeOptions> nodes = nodes(5);
    Membership first = join(nodes.get(0), Optional.of(ours), "40s").join();
    join(nodes.get(1), Optional.of(ours), "40s").join();

    CompletableFuture<Membership> stranger = join(nodes.get(2), Optional.of(foreign), "5s");
    CompletableFuture<Membership> plain = join(nodes.get(3), Optional.empty(), "5s");
    for (CompletableFuture<Membership> refused : List.of(stranger, plain)) {
      assertThatThrownBy(refused::join)
          .hasCauseInstanceOf(CommandFailure.class)
          .hasMessageContaining("does not become a member");
    }
    assertThat(members(first)).isEqualTo(2);

    mount(ours, new Authority(folder.resolve("two")));
    join(nodes.get(4), Optional.of(foreign), "40s").join();
    assertThat(members(first)).as("what was replaced counts for new connections").isEqualTo(3);
  }

  private static int members(Membership node) {
    int count = 0;
    for (var member : Cluster.get(node.system()).state().getMembers()) {
      count += member.status().equals(org.apache.pekko.cluster.MemberStatus.up()) ? 1 : 0;
    }
    return count;
  }

  /** Nodes that are told of the first one, which is told of nobody. */
  private static List<NodeOptions> nodes(int count) {
    List<NodeOptions> all =
        LoopbackNodes.withoutApi("redis://127.0.0.1:1", Optional.empty()).options(count);
    HostPort first = all.getFirst().joining().management().orElseThrow().address();
    return all.stream()
        .map(node -> {
          Listening own = node.joining().management().orElseThrow();
          return new NodeOptions(
              node.name(),
              node.remoting(),
              new Joining.ContactPoints(own, Stream.of(first, own.address()).distinct().toList()),
              1,
              node.api(),
              node.redisUri(),
              node.modelUrl(),
              node.configFile());
        })
        .toList();
  }

  private CompletableFuture<Membership> join(
      NodeOptions options, Optional<Path> certificates, String longest) {
    Config base =
        ConfigFactory.parseMap(
                Map.of(
                    "pekko.cluster.jmx.enabled",
                    "off",
                    "pekko.cluster.sharding.healthcheck.names",
                    List.of(),
                    "pekko.remote.artery.ssl.rotating-keys-engine.ssl-context-cache-ttl",
                    "1ms",
                    "colony.node.join-timeout",
                    longest,
                    "colony.node.tls",
                    certificates.map(Path::toString).orElse("")))
            .withFallback(NodeConfig.base(Optional.empty()));
    return CompletableFuture.supplyAsync(
        () -> {
          Membership node = new Membership(options, NodeConfig.of(options, base), List.of());
          started.add(() -> {
            node.system().terminate();
            node.system().getWhenTerminated().toCompletableFuture().join();
          });
          node.seek();
          node.await();
          return node;
        },
        task -> Thread.ofPlatform().daemon().start(task));
  }

  private Authority authority(String name) throws IOException {
    return Authority.in(Files.createDirectory(folder.resolve(name)));
  }

  private Path mounted(String name, Authority authority) throws IOException {
    Path directory = Files.createDirectory(folder.resolve(name));
    mount(directory, authority);
    return directory;
  }

  /** Puts the files where a mounted secret has them, over those that are there. */
  private static void mount(Path directory, Authority authority) throws IOException {
    for (String file : List.of("tls.crt", "tls.key", "ca.crt")) {
      Files.copy(
          authority.directory().resolve(file),
          directory.resolve(file),
          StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
