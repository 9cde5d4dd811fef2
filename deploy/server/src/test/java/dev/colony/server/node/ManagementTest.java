package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.server.node.Management.ManagementParts;
import dev.colony.server.node.Management.NodeHealth;
import dev.colony.server.node.Management.NodeHealth.Phase;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.Done;
import org.apache.pekko.actor.BootstrapSetup;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.setup.ActorSystemSetup;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.http.javadsl.server.Directives;
import org.apache.pekko.http.javadsl.server.Route;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The management of an actor system that is a cluster of its own and hosts nothing. */
class ManagementTest {

  private final int port = LoopbackPorts.free(1).getFirst();
  private final NodeHealth health = new NodeHealth();
  private final HttpClient http = HttpClient.newHttpClient();
  private final ActorSystem<Void> system =
      ActorSystem.create(
          Behaviors.empty(),
          "colony",
          ActorSystemSetup.create(new ManagementParts(health, List.of(figures())).setups())
              .and(BootstrapSetup.create(config())));

  private Config config() {
    return ConfigFactory.parseMap(
            Map.of(
                "pekko.cluster.jmx.enabled",
                "off",
                "pekko.cluster.sharding.healthcheck.names",
                List.of(),
                "pekko.cluster.split-brain-resolver.active-strategy",
                "keep-majority",
                "pekko.remote.artery.canonical.hostname",
                "127.0.0.1",
                "pekko.remote.artery.canonical.port",
                0,
                "pekko.management.http.hostname",
                "127.0.0.1",
                "pekko.management.http.port",
                port,
                "pekko.management.cluster.bootstrap.contact-point-discovery"
                    + ".required-contact-point-nr",
                1,
                "pekko.discovery.config.services.colony.endpoints",
                List.of(Map.of("host", "127.0.0.1", "port", port))))
        .withFallback(NodeConfig.base(Optional.empty()));
  }

  private static Route figures() {
    return Directives.path("figures", () -> Directives.complete("one 1\n"));
  }

  @AfterEach
  void stop() {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
    http.close();
  }

  @Test
  void whatANodeSaysOfItselfFollowsItsPhases() throws Exception {
    Management.start(system, health).toCompletableFuture().join();
    assertThat(get("/alive").statusCode()).isEqualTo(200);
    assertThat(get("/startup").statusCode()).isEqualTo(503);
    health.reached(Phase.JOINING);
    assertThat(get("/startup").statusCode()).isEqualTo(200);
    assertThat(get("/ready").statusCode()).isEqualTo(503);
    health.reached(Phase.SERVING);
    await().until(() -> get("/ready").statusCode() == 200);
    health.reached(Phase.JOINING);
    assertThat(get("/ready").statusCode()).as("it only goes forward").isEqualTo(200);
    health.unfitWhile(() -> Optional.of("the clock is wrong"));
    assertThat(get("/ready").statusCode()).isEqualTo(503);
    assertThat(get("/ready").body()).as("why").contains("the clock is wrong");
    health.unfitWhile(Optional::empty);
    assertThat(get("/ready").statusCode()).isEqualTo(200);

    CompletableFuture<Integer> whileItLeaves = new CompletableFuture<>();
    CoordinatedShutdown.get(system)
        .addTask(
            CoordinatedShutdown.PhaseServiceUnbind(),
            "ask",
            () -> {
              whileItLeaves.complete(get("/ready").statusCode());
              return CompletableFuture.completedFuture(Done.getInstance());
            });
    CoordinatedShutdown.get(system)
        .runAll(CoordinatedShutdown.unknownReason())
        .toCompletableFuture()
        .join();
    assertThat(whileItLeaves.join()).as("before it leaves the cluster").isEqualTo(503);
  }

  @Test
  void whatOthersAddIsServedBesideItsOwn() throws Exception {
    Management.start(system, health).toCompletableFuture().join();
    assertThat(get("/figures").body()).isEqualTo("one 1\n");
    assertThat(get("/nothing").statusCode()).isEqualTo(404);
    assertThat(
            http.send(
                    request("/cluster/members/" + "pekko://colony@127.0.0.1:1").DELETE().build(),
                    HttpResponse.BodyHandlers.ofString())
                .statusCode())
        .as("nothing is changed by it")
        .isEqualTo(405);
  }

  /** It listens on this machine alone, so a page from elsewhere is refused as by the API. */
  @Test
  void aPageFromElsewhereIsServedNothing() throws Exception {
    Management.start(system, health).toCompletableFuture().join();
    for (String path : List.of("/alive", "/cluster/members", "/figures", "/bootstrap/seed-nodes")) {
      for (String foreign :
          List.of(
              "Host: evil.example",
              "Host: evil.example:" + port,
              "Host: localhost\r\nOrigin: https://evil.example")) {
        assertThat(raw(path, foreign)).as(path).startsWith("HTTP/1.1 421 ");
      }
      for (String own : List.of("localhost", "127.0.0.1:" + port, "[::1]")) {
        assertThat(raw(path, "Host: " + own)).as(path).doesNotStartWith("HTTP/1.1 421 ");
      }
    }
  }

  private String raw(String path, String headers) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket
          .getOutputStream()
          .write(
              "GET %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n"
                  .formatted(path, headers)
                  .getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private HttpResponse<String> get(String path) {
    try {
      return http.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException failure) {
      throw new java.io.UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }
}
