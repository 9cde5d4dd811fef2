package dev.colony.deploy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.deploy.local.LoopbackPorts;
import dev.colony.deploy.node.NodeConfig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.management.javadsl.PekkoManagement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The figures on the management port, as the node's configuration puts them there. */
class MetricsRoutesTest {

  private ActorSystem<Void> system;
  private URI metrics;

  @BeforeEach
  void start() {
    int port = LoopbackPorts.free(1).getFirst();
    Config config =
        ConfigFactory.parseString(
                """
                pekko.actor.provider = local
                pekko.management.http { hostname = "127.0.0.1", port = %d, routes {
                  cluster-bootstrap = ""
                  cluster-management = ""
                } }
                """
                    .formatted(port))
            .withFallback(NodeConfig.base(Optional.empty()))
            .resolve();
    system = ActorSystem.create(Behaviors.empty(), "metrics-routes", config);
    PekkoManagement.get(system).start().toCompletableFuture().join();
    metrics = URI.create("http://127.0.0.1:" + port + "/metrics");
  }

  @AfterEach
  void stop() {
    PekkoManagement.get(system).stop().toCompletableFuture().join();
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
  }

  private HttpResponse<String> get() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString());
    }
  }

  @Test
  void thereAreNoneBeforeTheNodeHasStarted() throws Exception {
    assertThat(get().statusCode()).isEqualTo(503);
  }

  @Test
  void theyAreTextThatPrometheusReads() throws Exception {
    try (NodeMetrics node = new NodeMetrics()) {
      node.agents().runAccepted();
      MetricsExtension.get(system).show(node);
      HttpResponse<String> answer = get();
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type"))
          .hasValue("text/plain; version=0.0.4; charset=UTF-8");
      assertThat(Exposition.of(answer.body()).value("colony_runs_accepted_total")).isEqualTo(1);
    }
  }
}
