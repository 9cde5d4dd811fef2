package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import com.typesafe.config.Config;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.node.Started;
import dev.colony.server.node.NodeOptions.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes that are to be one cluster: what their management says from the start to the end. */
class JoiningTest {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** Each is a chance to form a cluster of its own. */
  private static final int ENOUGH_ROUNDS = 15;

  @TempDir private Path folder;

  private final HttpClient http = HttpClient.newHttpClient();
  private final Started started = new Started();
  private Config config;
  private NodeOptions first;
  private NodeOptions second;

  @BeforeEach
  void startRedis() {
    config = LocalNodes.config("");
    RedisServerProcess redis = LocalNodes.redis(started, config, folder);
    List<NodeOptions> both =
        LocalNodes.options(2, redis.uri(), OptionalInt.empty()).stream()
            .sorted((a, b) -> Integer.compare(management(a).port(), management(b).port()))
            .toList();
    first = both.getFirst();
    second = both.getLast();
  }

  @AfterEach
  void stop() {
    http.close();
    started.close();
  }

  @Test
  void aNodeIsReadyAsLongAsItIsAMemberAndTakesAgents() throws Exception {
    AtomicInteger rounds = new AtomicInteger();
    HttpServer silent = silent(management(second), rounds);
    CompletableFuture<Node> one = start(first);

    await().atMost(LONGEST).until(() -> rounds.get() >= ENOUGH_ROUNDS);
    assertThat(get(first, "/startup")).as("it waits for others, it is not at fault").isEqualTo(200);
    assertThat(get(first, "/alive")).isEqualTo(200);
    assertThat(get(first, "/ready")).as(body(first, "/ready")).isEqualTo(503);
    assertThat(body(first, "/bootstrap/seed-nodes"))
        .as("the one that would begin forms no cluster of its own")
        .contains("\"seedNodes\":[]");
    assertThat(one).isNotDone();

    silent.stop(0);
    CompletableFuture<Node> two = start(second);
    one.join();
    two.join();
    await()
        .atMost(LONGEST)
        .until(() -> get(first, "/ready") == 200 && get(second, "/ready") == 200);
    assertThat(body(second, "/cluster/members")).contains(first.address(), second.address());

    List<Integer> answers = new ArrayList<>();
    CompletableFuture<Void> leaving = CompletableFuture.runAsync(() -> one.join().close());
    while (!leaving.isDone()) {
      try {
        answers.add(get(first, "/ready"));
      } catch (IOException gone) {
        break;
      }
    }
    leaving.join();
    assertThat(answers).contains(503).last().isNotEqualTo(200);
    assertThat(answers.lastIndexOf(200)).isLessThan(answers.indexOf(503));
    assertThat(get(second, "/ready")).isEqualTo(200);
  }

  private CompletableFuture<Node> start(NodeOptions options) {
    return CompletableFuture.supplyAsync(
        () -> started.add(Node.start(options, config)),
        task -> Thread.ofPlatform().daemon().start(task));
  }

  /** A server that listens where the other node is awaited, and does not know of any cluster. */
  private HttpServer silent(HostPort at, AtomicInteger asked) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(at.host(), at.port()), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          exchange.sendResponseHeaders(503, -1);
          exchange.close();
        });
    server.start();
    started.add(() -> server.stop(0));
    return server;
  }

  private static HostPort management(NodeOptions options) {
    return options.joining().management().orElseThrow().address();
  }

  private int get(NodeOptions node, String path) throws IOException, InterruptedException {
    return answer(node, path).statusCode();
  }

  private String body(NodeOptions node, String path) throws IOException, InterruptedException {
    return answer(node, path).body();
  }

  private HttpResponse<String> answer(NodeOptions node, String path)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://" + management(node) + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
