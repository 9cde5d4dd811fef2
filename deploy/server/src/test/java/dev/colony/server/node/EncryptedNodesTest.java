package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.node.Started;
import dev.colony.server.StartFailedException;
import dev.colony.server.node.NodeOptions.HostPort;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.cluster.Cluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that speak TLS with each other, and others who would like to be among them. */
@Tag("faults")
class EncryptedNodesTest {

  private static final Duration LONGEST = Duration.ofMinutes(3);

  /** Of those that are to be refused: a node that is let in takes some seconds. */
  private static final Duration REFUSED_WITHIN = Duration.ofSeconds(10);

  private static final int HEARD_WITHIN_MILLIS = 30_000;

  @TempDir private Path folder;

  private final Started started = new Started();

  @AfterEach
  void stop() {
    started.close();
  }

  @Test
  void onlyThoseWithACertificateOfTheirAuthorityAreMembers() throws Exception {
    Authority authority = authority("one");
    Path ours = mounted("ours", authority);
    Path foreign = mounted("foreign", authority("two"));
    Path service = Files.createDirectory(folder.resolve("service"));
    authority.certify("billing", service);
    List<NodeOptions> nodes = nodes(6);
    Membership first = join(nodes.get(0), Optional.of(ours), LONGEST).join();
    join(nodes.get(1), Optional.of(ours), LONGEST).join();

    refusesWhoShowsNoCertificate(nodes.getFirst().remoting().address());
    List<CompletableFuture<Membership>> others =
        List.of(
            join(nodes.get(2), Optional.of(foreign), REFUSED_WITHIN),
            join(nodes.get(3), Optional.of(service), REFUSED_WITHIN),
            join(nodes.get(4), Optional.empty(), REFUSED_WITHIN));
    for (CompletableFuture<Membership> refused : others) {
      assertThatThrownBy(refused::join)
          .hasCauseInstanceOf(StartFailedException.class)
          .hasMessageContaining("does not become a member");
    }
    assertThat(members(first)).isEqualTo(2);

    mount(ours, new Authority(folder.resolve("two")));
    join(nodes.get(5), Optional.of(foreign), LONGEST).join();
    await()
        .atMost(LONGEST)
        .untilAsserted(() ->
            assertThat(members(first))
                .as("what was replaced counts for new connections")
                .isEqualTo(3));
  }

  /** A client that trusts every certificate, and is told that it lacks a certificate. */
  private static void refusesWhoShowsNoCertificate(HostPort node) throws Exception {
    SSLContext trusting = SSLContext.getInstance("TLS");
    trusting.init(null, new TrustManager[] {new Trusting()}, null);
    try (SSLSocket socket =
        (SSLSocket) trusting.getSocketFactory().createSocket(node.host(), node.port())) {
      socket.setSoTimeout(HEARD_WITHIN_MILLIS);
      socket.startHandshake();
      assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
      assertThatThrownBy(() -> socket.getInputStream().read())
          .isInstanceOf(SSLException.class)
          .hasMessageContaining("certificate");
    }
  }

  private static final class Trusting extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  private static int members(Membership node) {
    int count = 0;
    for (var member : Cluster.get(node.system()).state().getMembers()) {
      count += member.status().equals(org.apache.pekko.cluster.MemberStatus.up()) ? 1 : 0;
    }
    return count;
  }

  /** Nodes that are told of the first one, which is told of none. */
  private static List<NodeOptions> nodes(int count) {
    List<NodeOptions> all = LocalNodes.options(count, "redis://127.0.0.1:1", OptionalInt.empty());
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
      NodeOptions options, Optional<Path> certificates, Duration longest) {
    Config base =
        ConfigFactory.parseMap(
                Map.of(
                    "pekko.cluster.jmx.enabled",
                    "off",
                    "pekko.cluster.split-brain-resolver.active-strategy",
                    "keep-majority",
                    "pekko.cluster.sharding.healthcheck.names",
                    List.of(),
                    "pekko.remote.artery.ssl.rotating-keys-engine.ssl-context-cache-ttl",
                    "1ms",
                    "colony.node.join-timeout",
                    longest.toSeconds() + "s",
                    "colony.node.tls",
                    certificates.map(Path::toString).orElse("")))
            .withFallback(NodeConfig.base(Optional.empty()));
    return CompletableFuture.supplyAsync(
        () -> {
          Membership node = new Membership(options, NodeConfig.of(options, base), List.of());
          started.add(() -> end(node));
          node.seek();
          try {
            node.await();
          } catch (StartFailedException refused) {
            end(node);
            throw refused;
          }
          return node;
        },
        task -> Thread.ofPlatform().daemon().start(task));
  }

  /** As its process would: what does not stop in the time of its phase is not waited for. */
  private static void end(Membership node) {
    CoordinatedShutdown.get(node.system())
        .runAll(CoordinatedShutdown.actorSystemTerminateReason())
        .toCompletableFuture()
        .join();
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
