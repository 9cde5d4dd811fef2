package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import com.typesafe.config.ConfigException;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.Authenticator.OidcSettings;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.Principal.Role;
import dev.colony.server.StartFailedException;
import dev.colony.server.http.ApiClient.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is too large, too much, too often or not as it should be. */
class LimitsTest extends ServedApi {

  private static final String RUNS = ApiRig.COLONY + "/agents/a/runs";

  private static final Map<String, String> OTHERS =
      Map.of("Content-Length", "35", "Content-Type", "text/plain");

  @TempDir private Path folder;

  @Override
  Map<String, ?> settings() {
    return Map.of(
        "request.body", "2 KiB",
        "request.uri", 512,
        "request.headers", 8,
        "request.header-value", 512,
        "streams.per-key", 2,
        "streams.heartbeat", "100ms",
        "at-work", 1,
        "page", 100);
  }

  @Test
  void aBodyThatIsTooLargeIsRefusedWhetherItSaysSoOrNot() {
    String large = "{\"input\": \"" + "x".repeat(3000) + "\"}";
    client.post(RUNS, large).problem(413, "too-large");
    String chunked =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".formatted(RUNS)
            + "Transfer-Encoding: chunked\r\n\r\n"
            + "400\r\n%s\r\n".formatted("x".repeat(1024)).repeat(4);
    try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
      assertThat(raw.send(chunked).end().readToEnd())
          .startsWith("HTTP/1.1 413 ")
          .contains("too-large");
    }
    String announced =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".formatted(RUNS)
            + "Content-Length: 3000\r\n\r\n";
    try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
      assertThat(raw.send(announced).readSome()).startsWith("HTTP/1.1 413 ");
    }
  }

  @Test
  void aBodyWhoseChunksAreMalformedIsNotTooLarge() {
    try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
      raw.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  .formatted(RUNS)
              + "Transfer-Encoding: chunked\r\n\r\nzz\r\n");
      assertThat(raw.end().readToEnd()).startsWith("HTTP/1.1 400 ").contains("malformed");
    }
    try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
      raw.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  .formatted(RUNS)
              + "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n");
      assertThat(raw.end().readToEnd()).startsWith("HTTP/1.1 413 ").contains("too-large");
    }
  }

  @Test
  void aHeadThatIsTooLargeIsRefused() {
    parsed("GET /v1/%s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted("x".repeat(600)), 414);
    parsed(
        "GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n".formatted("x".repeat(600)),
        431);
    StringBuilder many = new StringBuilder("GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\n");
    for (int i = 0; i < 10; i++) {
      many.append("X").append(i).append(": x\r\n");
    }
    parsed(many + "\r\n", 431);
    parsed(
        "GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\n%s: x\r\n\r\n".formatted("x".repeat(600)),
        431);
    parsed("nonsense\r\n\r\n", 400);
  }

  /** Proxies and servers that take different ones of them see different requests. */
  @Test
  void aHeaderThatHasOneMeaningIsGivenOnce() {
    Map<String, String> values =
        Map.of(
            "Authorization", "Bearer x",
            "Content-Length", "36",
            "Content-Type", "application/json",
            "Host", "localhost",
            "Idempotency-Key", "twice",
            "Last-Event-ID", "1-1",
            "Origin", "http://localhost");
    values.forEach((name, value) -> {
      StringBuilder head = new StringBuilder("POST %s HTTP/1.1\r\n".formatted(RUNS));
      Map<String, String> given =
          new TreeMap<>(
              Map.of(
                  "Host", "localhost", "Content-Type", "application/json", "Content-Length", "36"));
      given.put(name, value);
      given.forEach((one, its) -> head.append(one).append(": ").append(its).append("\r\n"));
      // the same twice says nothing else than once (RFC 9110, 8.6)
      String again = OTHERS.getOrDefault(name, value);
      head.append(name.toLowerCase(Locale.ROOT)).append(": ").append(again).append("\r\n\r\n");
      try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
        raw.send(head + "{\"input\": 1, \"namespace\": \"work\"   }").end();
        assertThat(raw.readToEnd())
            .as(name)
            .startsWith("HTTP/1.1 400 ")
            .contains("application/problem+json", "bad-request")
            .containsPattern("\"detail\":\"[^\"]*(?i:" + name + ")");
      }
    });
  }

  private void parsed(String request, int status) {
    try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
      assertThat(raw.send(request).end().readToEnd())
          .startsWith("HTTP/1.1 " + status + " ")
          .contains("application/problem+json", "urn:colony:problem:");
    }
  }

  @Test
  void whatIsNoJsonIsRefused() {
    client
        .send("POST", RUNS, "input=1", Map.of("Content-Type", "text/plain"))
        .problem(415, "unsupported-media-type");
    client
        .send("POST", RUNS, "{}", Map.of("Content-Type", "application/xml"))
        .problem(415, "unsupported-media-type");
    for (String bad :
        List.of(
            "{", "nonsense", "{} {}", "{\"a\": NaN}", "{\"a\": 1, \"a\": 2}", "null", "[]", "1")) {
      client.post(RUNS, bad).problem(400, "bad-request");
    }
    assertThat(client.post(RUNS, "{\n\n \"input\": }").problem(400, "bad-request").text())
        .contains("line 3");
    assertThat(client.post(RUNS, "{\"namespace\": {}}").problem(400, "bad-request").text())
        .contains("namespace must be text");
    assertThat(
            client
                .post(RUNS, "{\"input\": 1, \"namespace\": \"work\", \"odd\": 1}")
                .problem(400, "bad-request")
                .text())
        .contains("there is no field odd");
    assertThat(client.post(RUNS, "[".repeat(1500)).problem(400, "bad-request").text())
        .contains("nested deeper than 200 levels");
    try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
      raw.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  .formatted(RUNS)
              + "Connection: close\r\nContent-Length: 4\r\n\r\n\"\u00ff\u00ff\"");
      assertThat(raw.readToEnd()).startsWith("HTTP/1.1 400 ").contains("UTF-8");
    }
  }

  @Test
  void aPathOfOtherMethodsSaysWhich() {
    assertThat(
            client
                .send("DELETE", ApiRig.COLONY + "/agents", "", Map.of())
                .problem(405, "method-not-allowed")
                .headers()
                .get("Allow"))
        .isEqualTo("GET, HEAD, OPTIONS, POST");
    client.get("/v2").problem(404, "not-found");
    client.get("/v1").problem(404, "not-found");
    client.get("/v1/cluster/").problem(404, "not-found");
    client.get("/v1/tenants//colonies/c/agents").problem(404, "not-found");
    client.get("/v1/tenants/..%2f..%2fx/colonies/c/agents").problem(400, "bad-request");
  }

  @Test
  void aParameterThatMeansNothingIsNotPassedOver() {
    assertThat(
            client
                .get("/v1/tenants/acme/board/entries?scope=tenant:acme&tags=urgent")
                .problem(400, "bad-request")
                .text())
        .contains("getEntries has no parameter tags; it has after, key, keys, limit, scope, tag");
    assertThat(client.get("/v1/cluster?x").problem(400, "bad-request").text())
        .contains("getCluster has no parameter x; it has none");
  }

  /** Some clients send it where a variable is not set. */
  @Test
  void anIdempotencyKeyThatIsEmptyIsRefused() {
    try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
      raw.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  .formatted(RUNS)
              + "Idempotency-Key:\r\nConnection: close\r\nContent-Length: 36\r\n\r\n"
              + "{\"input\": 1, \"namespace\": \"work\"   }");
      assertThat(raw.readToEnd()).startsWith("HTTP/1.1 400 ").contains("idempotency key");
    }
  }

  @Test
  void aPageIsAtMostAsLongAsTheSettingSays() {
    client.get(ApiRig.COLONY + "/agents?limit=100").is(200);
    client.get(ApiRig.COLONY + "/agents?limit=101").problem(400, "bad-request");
    client.get(ApiRig.COLONY + "/agents").is(200);
  }

  @Test
  void whoAsksTooOftenHasToWaitAndNobodyElse() {
    AccessSettings keys = ApiRig.keys(folder, List.of());
    try (HttpApi slow =
        rig.start(keys, Map.of("rate.per-second", 1, "rate.burst", 5, "rate.without-key", 3))) {
      ApiClient viewer = ApiClient.of(slow).key(ApiRig.key(Role.VIEWER));
      Reply refused = until429(viewer);
      refused.problem(429, "too-many-requests");
      assertThat(Long.parseLong(refused.headers().get("Retry-After"))).isBetween(1L, 2L);
      ApiClient.of(slow).key(ApiRig.key(Role.OPERATOR)).get("/v1/openapi.yaml").is(200);
      until429(ApiClient.of(slow)).problem(429, "too-many-requests");
      ApiClient.of(slow).key(ApiRig.key(Role.ADMIN)).get("/v1/openapi.yaml").is(200);
    }
  }

  private static Reply until429(ApiClient client) {
    Reply reply = client.get("/v1/openapi.yaml");
    for (int i = 0; i < 1000 && reply.status() != 429; i++) {
      reply = client.get("/v1/openapi.yaml");
    }
    return reply;
  }

  @Test
  void aKeyHasSoManyStreamsAndNoMore() {
    String watch = "/v1/tenants/acme/board/events?scope=tenant:acme";
    List<Stream<String>> open = new ArrayList<>();
    try {
      for (int i = 0; i < 2; i++) {
        Stream<String> stream = client.stream(watch, Map.of());
        assertThat(stream.iterator().next()).startsWith("id: ");
        open.add(stream);
      }
      await().atMost(ApiClient.LONGEST).until(() -> refused(watch));
    } finally {
      open.forEach(Stream::close);
    }
    await().atMost(ApiClient.LONGEST).until(() -> !refused(watch));
  }

  /** The third is refused as it begins, or as the first thing of its stream. */
  private boolean refused(String watch) {
    try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
      raw.send("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(watch));
      String head = raw.readSome();
      return head.startsWith("HTTP/1.1 429 ");
    }
  }

  @Test
  void whoWaitsForARunTakesNobodysTurn() throws Exception {
    AgentId agent = rig.agent();
    String runs = ApiRig.COLONY + "/agents/" + agent.name() + "/runs";
    String run =
        client
            .post(runs, "{\"input\": 1, \"namespace\": \"work\"}")
            .is(202)
            .json()
            .path("runId")
            .asText();
    String waiting = runs + "/" + run + "?namespace=work&wait=30";
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Reply>> held =
          Stream.generate(() -> threads.submit(() -> client.get(waiting))).limit(5).toList();
      for (int i = 0; i < 20; i++) {
        client.get("/v1/cluster").is(200);
      }
      assertThat(held).noneMatch(Future::isDone);
      rig.complete(agent, new RunId(run), IntNode.valueOf(7));
      for (Future<Reply> one : held) {
        assertThat(one.get().is(200).json().path("ended").asBoolean()).isTrue();
      }
    }
  }

  @Test
  void settingsOutOfTheirRangeAreRefused() {
    for (Map<String, Object> bad :
        List.<Map<String, Object>>of(
            Map.of("connections", 0), Map.of("rate.burst", 0), Map.of("port", 70_000))) {
      assertThatThrownBy(() -> rig.start(AccessSettings.OPEN, bad))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining(bad.keySet().iterator().next());
    }
  }

  @Test
  void aPortThatIsTakenAndAHostWithoutKeysAreRefusedInOneLine() {
    assertThatThrownBy(() -> rig.start(AccessSettings.OPEN, Map.of("port", api.uri().getPort())))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("colony.http.port");
    assertThatThrownBy(() -> rig.start(AccessSettings.OPEN, Map.of("host", "0.0.0.0")))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("without keys");
    assertThatThrownBy(() ->
            rig.start(
                new AccessSettings(
                    Optional.of(folder.resolve("none").toString()), OidcSettings.NONE),
                Map.of()))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("none");
  }

  @Test
  void aPageFromElsewhereIsNotServedWithoutKeys() {
    for (String headers :
        List.of("Host: evil.example", "Host: localhost\r\nOrigin: https://evil.example")) {
      try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
        raw.send("GET /v1/cluster HTTP/1.1\r\n%s\r\n\r\n".formatted(headers)).end();
        assertThat(raw.readToEnd()).startsWith("HTTP/1.1 421 ").contains("foreign-host");
      }
    }
  }
}
