package dev.colony.image;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/**
 * What a node is asked while the JVM notes what it loads: what its first minutes bring. That it
 * answers is a first test of the image.
 */
final class NodeExercise {

  private static final Duration BETWEEN = Duration.ofMillis(100);
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final int OK = 200;
  private static final int ACCEPTED = 202;

  private static final List<String> MANAGEMENT =
      List.of("/startup", "/ready", "/alive", "/metrics");
  private static final String COLONY = "/v1/tenants/training/colonies/training";
  private static final String AGENT = COLONY + "/agents/trained";
  private static final String RUN =
      """
      {"agent": {"name": "trained", "blueprint": {"policy": {"type": "colony.scripted",
       "args": {"rules": [{"when": {}, "then": {"complete": {"trained": true}}}]}}}},
       "input": {}, "namespace": "training"}\
      """;

  private static final List<String> API =
      List.of("/v1/openapi.yaml", "/v1/cluster", COLONY + "/agents", AGENT, AGENT + "/history");

  private final HttpClient client;
  private final FreePorts ports;

  private NodeExercise(HttpClient client, FreePorts ports) {
    this.client = client;
    this.ports = ports;
  }

  /**
   * Waits until the node is ready, has an agent take a run, and asks for all that it tells.
   *
   * @param patience until it is ready
   * @throws IOException if it ends, is not ready in time, or answers other than it should
   */
  static void run(FreePorts ports, Process node, Duration patience)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(ANSWER).build()) {
      NodeExercise exercise = new NodeExercise(client, ports);
      exercise.awaitReady(node, System.nanoTime() + patience.toNanos());
      exercise.askAll();
    }
  }

  private void awaitReady(Process node, long deadline) throws IOException, InterruptedException {
    while (!ready()) {
      if (!node.isAlive()) {
        throw new IOException("ended with status " + node.exitValue());
      }
      if (System.nanoTime() > deadline) {
        throw new IOException("is not ready in time");
      }
      Thread.sleep(BETWEEN);
    }
  }

  private boolean ready() throws InterruptedException {
    try {
      return send(request(ports.management(), "/ready").build()).statusCode() == OK;
    } catch (IOException notYet) {
      return false;
    }
  }

  private void askAll() throws IOException, InterruptedException {
    HttpResponse<String> accepted =
        expect(
            ACCEPTED,
            request(ports.http(), COLONY + "/runs")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(RUN))
                .build());
    String run = accepted.headers().firstValue("Location").orElseThrow();
    expect(OK, request(ports.http(), run + "&wait=10").build());
    expect(OK, request(ports.http(), run.replace("?", "/events?")).build());
    for (String path : API) {
      expect(OK, request(ports.http(), path).build());
    }
    for (String path : MANAGEMENT) {
      expect(OK, request(ports.management(), path).build());
    }
  }

  private HttpResponse<String> expect(int status, HttpRequest request)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = send(request);
    if (answer.statusCode() != status) {
      throw new IOException(
          "answers %d to %s".formatted(answer.statusCode(), request.uri().getPath()));
    }
    return answer;
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static HttpRequest.Builder request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(ANSWER);
  }
}
