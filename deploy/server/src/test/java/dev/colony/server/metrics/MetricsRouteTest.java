package dev.colony.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;
import org.junit.jupiter.api.Test;

/** The figures as Prometheus gets them. */
class MetricsRouteTest {

  @Test
  void theyAreTextThatPrometheusReads() throws Exception {
    ActorSystem<Void> system =
        ActorSystem.create(Behaviors.empty(), "metrics", ConfigFactory.defaultReference());
    try (NodeMetrics node = new NodeMetrics();
        HttpClient client = HttpClient.newHttpClient()) {
      ServerBinding bound =
          Http.get(system)
              .newServerAt("127.0.0.1", 0)
              .bind(node.route())
              .toCompletableFuture()
              .join();
      node.agents().runAccepted();
      URI metrics = URI.create("http://127.0.0.1:" + bound.localAddress().getPort() + "/metrics");
      HttpResponse<String> answer =
          client.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type"))
          .hasValue("text/plain; version=0.0.4; charset=UTF-8");
      assertThat(Exposition.of(answer.body()).value("colony_runs_accepted_total")).isEqualTo(1);
    } finally {
      system.terminate();
      system.getWhenTerminated().toCompletableFuture().join();
    }
  }
}
