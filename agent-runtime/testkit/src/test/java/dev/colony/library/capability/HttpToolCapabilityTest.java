package dev.colony.library.capability;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.settings.Settings;
import dev.colony.library.capability.HttpService.Method;
import dev.colony.library.capability.HttpToolCapability.Args;
import dev.colony.library.capability.HttpTools.HttpToolSettings;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.node.runtime.JdkHttpTransport;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An agent uses a real HTTP server within its allow-list, and nothing beside it. */
class HttpToolCapabilityTest {

  private static final JdkHttpTransport TRANSPORT = new JdkHttpTransport(Duration.ofSeconds(10));

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ConcurrentLinkedQueue<String> keys = new ConcurrentLinkedQueue<>();
  private final AtomicInteger calls = new AtomicInteger();
  private final CountDownLatch over = new CountDownLatch(1);
  private HttpServer server;
  private String origin;

  @BeforeEach
  void begin() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    origin = "http://127.0.0.1:" + server.getAddress().getPort();
    serve("/v1/item", "application/json", "{\"name\":\"bow\"}");
    serve("/v1/long", "text/plain", "é".repeat(500));
    server.createContext(
        "/v1/bytes", exchange -> send(exchange, 200, "image/png", new byte[] {-1, -2}));
    server.createContext(
        "/v1/echo",
        exchange ->
            reply(
                exchange,
                200,
                "text/plain",
                exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("X-Token")));
    server.createContext("/v1/moved", exchange -> redirect(exchange, "/v1/item"));
    server.createContext("/v1/out", exchange -> redirect(exchange, "/admin"));
    server.createContext("/v1/away", exchange -> redirect(exchange, "http://169.254.169.254/v1/x"));
    server.createContext("/v1/circle", exchange -> redirect(exchange, "/v1/circle"));
    server.createContext(
        "/v1/busy",
        exchange -> reply(exchange, calls.incrementAndGet() < 3 ? 503 : 200, "text/plain", "now"));
    server.createContext(
        "/v1/order",
        exchange -> {
          keys.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
          reply(
              exchange,
              201,
              "text/plain",
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        });
    server.createContext(
        "/v1/hangs",
        exchange -> {
          keys.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
          awaitEnd();
          exchange.close();
        });
    serve("/admin", "text/plain", "secret");
    server.start();
  }

  @AfterEach
  void end() {
    over.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void awaitEnd() {
    try {
      over.await();
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(String path, String type, String body) {
    server.createContext(path, exchange -> reply(exchange, 200, type, body));
  }

  private static void redirect(HttpExchange exchange, String to) throws IOException {
    exchange.getResponseHeaders().set("Location", to);
    reply(exchange, 302, "text/plain", "");
  }

  private static void reply(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    send(exchange, status, type, body.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private HttpService api() {
    return HttpService.reading(origin, "items").paths("/v1/*").methods(Method.GET, Method.POST);
  }

  private static HttpToolSettings node(Set<String> hosts, Set<String> secrets) {
    HttpToolSettings usual = Settings.read(HttpToolSettings.class, ConfigFactory.load());
    return new HttpToolSettings(List.copyOf(hosts), List.copyOf(secrets), 4, usual.maxResponse());
  }

  private static final HttpToolSettings OPEN = node(Set.of("127.0.0.1"), Set.of());

  private TestAgent agent(Args args, HttpToolSettings node, KillPoint kill, ScriptedRule... rules) {
    return TestAgent.of(
            AgentBlueprint.of(ScriptedActionPolicy.class, Script.of(rules))
                .capability(HttpToolCapability.class, args))
        .service(HttpTools.class, new HttpTools(node, TRANSPORT))
        .killed(kill)
        .start();
  }

  /** The outcome of one action. */
  private ActionView act(Args args, HttpToolSettings node, String key, Object... params) {
    try (TestAgent agent =
        agent(
            args,
            node,
            KillPoint.never(),
            ScriptedRule.first().act(key, params),
            ScriptedRule.otherwise().complete("over"))) {
      agent.run(Map.of());
      return agent.steps().action(key);
    }
  }

  private JsonNode read(String path) {
    return act(Args.allowing(api()), OPEN, "tool_use", "url", origin + path).output();
  }

  private String refused(Args args, HttpToolSettings node, String url) {
    return act(args, node, "tool_use", "url", url).error().orElse("");
  }

  @Test
  void jsonIsReadAsJson() {
    assertThat(read("/v1/item").path("body").path("name").asText()).isEqualTo("bow");
    assertThat(read("/v1/item").path("status").asInt()).isEqualTo(200);
    assertThat(read("/v1/none").path("status").asInt()).isEqualTo(404);
  }

  @Test
  void aLongAnswerIsCutBetweenCharactersAndSaysSo() {
    JsonNode cut =
        act(Args.allowing(api()).maxResponseBytes(65), OPEN, "tool_use", "url", origin + "/v1/long")
            .output();
    assertThat(cut.path("body").asText()).isEqualTo("é".repeat(32));
    assertThat(cut.path("note").asText()).isEqualTo("the body is cut after 65 bytes");
    assertThat(read("/v1/bytes").path("note").asText()).startsWith("the body is no text");
  }

  @Test
  void aQueryIsEncoded() {
    JsonNode echoed =
        act(
                Args.allowing(api()),
                OPEN,
                "tool_use",
                "url",
                origin + "/v1/echo",
                "query",
                Map.of("a", "x&y=1"))
            .output();
    assertThat(echoed.path("body").asText()).startsWith("/v1/echo?a=x%26y%3D1 ");
  }

  @Test
  void redirectsAreFollowedWithinTheAllowListOnly() {
    assertThat(read("/v1/moved").path("url").asText()).endsWith("/v1/item");
    Args args = Args.allowing(api());
    assertThat(refused(args, OPEN, origin + "/v1/out")).contains("/admin is not allowed");
    assertThat(refused(args, OPEN, origin + "/v1/away")).contains("169.254.169.254");
    assertThat(refused(args, OPEN, origin + "/v1/circle")).contains("more than 5 times");
    assertThat(refused(args, OPEN, origin + "/admin")).contains("is not allowed");
  }

  @Test
  void theNodesOwnNetworkIsReachedOnlyWhereNodeAndBlueprintNameTheHost() {
    Args args = Args.allowing(api());
    assertThat(refused(args, node(Set.of(), Set.of()), origin + "/v1/item"))
        .contains("colony.agent.http.private-hosts does not list it");
    Args wild = Args.allowing(HttpService.reading("http://*.localhost", "any host").paths("/v1/*"));
    assertThat(refused(wild, node(Set.of("*"), Set.of()), "http://x.localhost/v1/item"))
        .containsAnyOf("allowed only by a host with a star", "cannot be resolved");
  }

  @Test
  void aHeadersSecretIsSentAndNotShown(@TempDir Path folder) throws IOException {
    Path token = folder.resolve("token");
    Files.writeString(token, "t0ps3cret\n");
    Args args = Args.allowing(api().header("X-Token", "${file:" + token + "}"));
    HttpToolSettings may = node(Set.of("127.0.0.1"), Set.of("file:" + token));
    JsonNode echoed = act(args, may, "tool_use", "url", origin + "/v1/echo").output();
    assertThat(echoed.path("body").asText()).isEqualTo("/v1/echo ***");
    assertThat(refused(args, OPEN, origin + "/v1/echo"))
        .contains("colony.agent.http.secrets does not list it");
  }

  @Test
  void whatIsBusyIsAskedAgain() {
    assertThat(read("/v1/busy").path("body").asText()).isEqualTo("now");
    assertThat(calls).hasValue(3);
  }

  @Test
  void whatMayBeUsedIsListed() {
    JsonNode listed = act(Args.allowing(api()), OPEN, "tool_discover").output();
    assertThat(listed.path(0).path("origin").asText()).isEqualTo(origin);
    assertThat(listed.path(0).path("summary").asText()).isEqualTo("items");
  }

  @Test
  void aHeaderThatCannotBeSentIsNotShown(@TempDir Path folder) throws IOException {
    Path token = folder.resolve("token");
    Files.writeString(token, "first\nsecret");
    Args args = Args.allowing(api().header("X-Token", "${file:" + token + "}"));
    HttpToolSettings may = node(Set.of("127.0.0.1"), Set.of("file:" + token));
    assertThat(refused(args, may, origin + "/v1/echo"))
        .contains("cannot be sent: [Accept, X-Token]")
        .doesNotContain("secret");
  }

  private Object[] order(String path) {
    return new Object[] {"method", "POST", "url", origin + path, "body", Map.of("n", 1)};
  }

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void aRequestUnderItsKeyIsSentAgainOnlyWhereTheServiceHonoursIt(KillPoint.Side side) {
    for (HttpService service : List.of(api(), api().honouringKeys())) {
      KillPoint.walk(
          side,
          point -> {
            keys.clear();
            try (TestAgent agent =
                agent(
                    Args.allowing(service),
                    OPEN,
                    point,
                    ScriptedRule.first().act("tool_send", order("/v1/order")),
                    ScriptedRule.otherwise().complete("over"))) {
              agent.run(Map.of());
              List<String> sent = new ArrayList<>(keys);
              assertThat(new HashSet<>(sent)).hasSize(1).doesNotContainNull();
              if (!service.honoursKeys()) {
                assertThat(sent).hasSize(1);
              }
            }
          });
    }
  }

  @Test
  void aLostAnswerIsNotAskedForTwiceWhereKeysAreNotHonoured() {
    Args args = Args.allowing(api()).timeout(Duration.ofSeconds(1));
    assertThat(act(args, OPEN, "tool_send", order("/v1/hangs")).error().orElse(""))
        .contains("has not answered within");
    assertThat(keys).hasSize(1);
    keys.clear();
    Args honoured = Args.allowing(api().honouringKeys()).timeout(Duration.ofSeconds(1));
    act(honoured, OPEN, "tool_send", order("/v1/hangs"));
    assertThat(keys).hasSize(3);
    assertThat(new HashSet<>(keys)).hasSize(1);
  }

  @Test
  void aRequestWhoseFateACrashHidIsSentAgainOnlyUnderAKeyThatIsHonoured() {
    for (HttpService service : List.of(api(), api().honouringKeys())) {
      keys.clear();
      try (TestAgent agent =
          agent(
              Args.allowing(service),
              OPEN,
              KillPoint.never(),
              ScriptedRule.first().act("tool_send", order("/v1/order")),
              ScriptedRule.otherwise().complete("over"))) {
        // what the process before has left: it was sent, and no answer is known
        agent
            .blackboard()
            .write(Write.value("sent:test/test/agent/r1/0/a1", Map.of()))
            .toCompletableFuture()
            .join();
        agent.run(Map.of());
        if (service.honoursKeys()) {
          assertThat(keys).containsExactly("test/test/agent/r1/0/a1");
        } else {
          agent.steps().assertFailed("tool_send", "does not honour Idempotency-Key");
          assertThat(keys).isEmpty();
        }
      }
    }
  }

  @Test
  void readingActionsDoNotSend() {
    assertThat(
            act(
                    Args.allowing(api()),
                    OPEN,
                    "tool_send",
                    "method",
                    "GET",
                    "url",
                    origin + "/v1/item")
                .status())
        .isNotEqualTo(ActionResult.Status.SUCCEEDED);
  }
}
