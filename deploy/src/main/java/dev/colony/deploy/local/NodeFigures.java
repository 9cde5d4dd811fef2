package dev.colony.deploy.local;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/** The figures of a node of this machine, from its management. */
final class NodeFigures {

  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  private NodeFigures() {}

  /** As it shows them to Prometheus; empty if it does not answer. Blocks. */
  static Optional<String> of(NodeRecord node) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + node.management() + "/metrics"))
            .timeout(TIMEOUT)
            .build();
    try {
      HttpResponse<String> answer = HTTP.send(request, BodyHandlers.ofString());
      return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
    } catch (IOException silent) {
      return Optional.empty();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
