package dev.colony.image;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/** What a node is asked while the JVM notes what it loads: what its first minute brings. */
final class NodeExercise {

  private static final Duration BETWEEN = Duration.ofMillis(100);
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final int OK = 200;

  private static final List<String> MANAGEMENT = List.of("/startup", "/alive", "/metrics");
  private static final List<String> API =
      List.of("/v1/openapi.yaml", "/v1/cluster", "/v1/tenants/training/colonies/training/agents");

  private NodeExercise() {}

  /**
   * Waits until the node is ready, then asks it.
   *
   * @throws IOException if it ends before it is ready, or the time is over
   */
  static void run(FreePorts ports, Process node, Duration patience)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(ANSWER).build()) {
      long deadline = System.nanoTime() + patience.toNanos();
      while (status(client, ports.management(), "/ready") != OK) {
        if (!node.isAlive()) {
          throw new IOException("ended with status " + node.exitValue());
        }
        if (System.nanoTime() > deadline) {
          throw new IOException("is not ready after " + patience.toSeconds() + " s");
        }
        Thread.sleep(BETWEEN);
      }
      for (String path : MANAGEMENT) {
        status(client, ports.management(), path);
      }
      for (String path : API) {
        status(client, ports.http(), path);
      }
    }
  }

  /** Of the answer; 0 where there is none, as while the node starts. */
  private static int status(HttpClient client, int port, String path) throws InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    try {
      return client
          .send(
              HttpRequest.newBuilder(uri).timeout(ANSWER).build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    } catch (IOException none) {
      return 0;
    }
  }
}
