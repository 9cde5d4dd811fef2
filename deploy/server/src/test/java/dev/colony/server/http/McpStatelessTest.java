package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.Principal.Role;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The revision 2026-07-28 of the Model Context Protocol, as the clients of PyPI's {@code mcp} 2.3
 * and npm's {@code @modelcontextprotocol/client} 2.4 send it.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class McpStatelessTest extends McpFixture {

  private static final String REVISION = "2026-07-28";
  private static final String META = "io.modelcontextprotocol/";
  private static final Map<String, Object> SAID =
      Map.of(
          META + "protocolVersion", REVISION,
          META + "clientInfo", Map.of("name", "mcp", "version", "0.1.0"),
          META + "clientCapabilities", Map.of());

  /** One request; its headers say what its body does. */
  private record Sent(ObjectNode body, Map<String, String> headers) {

    static Sent of(String method, Map<String, Object> params) {
      ObjectNode body = ProtocolJson.object().put("jsonrpc", "2.0").put("id", 7);
      body.put("method", method);
      body.putObject("params").setAll((ObjectNode) ProtocolJson.tree(params));
      body.withObject("/params/_meta").setAll((ObjectNode) ProtocolJson.tree(SAID));
      Map<String, String> headers = new HashMap<>();
      headers.put("Accept", "application/json, text/event-stream");
      headers.put("mcp-protocol-version", REVISION);
      headers.put("mcp-method", method);
      for (String named : List.of("name", "uri")) {
        Optional.ofNullable((String) params.get(named)).ifPresent(n -> headers.put("mcp-name", n));
      }
      return new Sent(body, headers);
    }

    static Sent ask(String input) {
      return of("tools/call", Map.of("name", "ask_worker", "arguments", Map.of("input", input)));
    }

    Sent header(String name, String value) {
      Map<String, String> changed = new HashMap<>(headers);
      changed.put(name, value);
      return new Sent(body, changed);
    }

    Sent without(String header) {
      Map<String, String> fewer = new HashMap<>(headers);
      fewer.remove(header);
      return new Sent(body, fewer);
    }

    Sent meta(String name, JsonNode value) {
      ObjectNode changed = body.deepCopy();
      changed.withObject("/params/_meta").set(META + name, value);
      return new Sent(changed, headers);
    }
  }

  private ApiClient operator() {
    return ApiClient.of(api).key(ApiRig.key(Role.OPERATOR));
  }

  private JsonNode result(Sent sent) {
    JsonNode response = reply(sent).is(200).json();
    assertThat(response.path("id").asInt()).isEqualTo(7);
    JsonNode result = response.path("result");
    assertThat(result.path("resultType").asText()).as(response.toString()).isEqualTo("complete");
    assertThat(result.path("_meta").path(META + "serverInfo").path("name").asText())
        .isEqualTo("colony");
    return result;
  }

  private ApiClient.Reply reply(Sent sent) {
    return operator().send("POST", path(), sent.body().toString(), sent.headers());
  }

  private JsonNode refused(Sent sent, int status, int code) {
    ApiClient.Reply reply = reply(sent).is(status);
    assertThat(reply.json().path("id").asInt()).as(reply.text()).isEqualTo(7);
    assertThat(reply.json().at("/error/code").asInt()).as(reply.text()).isEqualTo(code);
    return reply.json().path("error");
  }

  private static Iterator<JsonNode> messages(Stream<String> lines) {
    return lines
        .filter(line -> line.startsWith("data:"))
        .map(line -> ApiClient.parse(line.substring("data:".length())))
        .iterator();
  }

  @Test
  void aClientAsksWithoutASessionWhatThereIs() {
    spawn("worker", ApiRig.BLUEPRINT);
    board.write(Write.value("k", "v")).toCompletableFuture().join();
    ApiClient.Reply first = reply(Sent.of("server/discover", Map.of()));
    assertThat(first.headers()).doesNotContainKey("Mcp-Session-Id");
    JsonNode found = result(Sent.of("server/discover", Map.of()));
    assertThat(found.path("supportedVersions").toString())
        .isEqualTo("[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\"]");
    assertThat(found.at("/capabilities/resources/subscribe").asBoolean()).isTrue();
    assertThat(found.path("instructions").asText()).contains(colony);
    JsonNode tools = result(Sent.of("tools/list", Map.of()));
    assertThat(tools.path("tools").findValuesAsText("name")).contains("ask_worker", "run_agent");
    String uri = uri("board/k");
    JsonNode entry = result(Sent.of("resources/read", Map.of("uri", uri)));
    assertThat(entry.at("/contents/0/text").asText()).isEqualTo("v");
    assertThat(entry.at("/contents/0/_meta/version").asInt()).isEqualTo(1);
    JsonNode listed = result(Sent.of("resources/list", Map.of()));
    assertThat(listed.at("/resources/0/uri").asText()).isEqualTo(uri);
    JsonNode templates = result(Sent.of("resources/templates/list", Map.of()));
    for (JsonNode one : List.of(found, tools, entry, listed, templates)) {
      assertThat(one.path("ttlMs").isIntegralNumber()).as(one.toString()).isTrue();
      assertThat(one.path("cacheScope").asText()).isEqualTo("private");
    }
    JsonNode called =
        result(Sent.of("tools/call", Map.of("name", "list_agents", "arguments", Map.of())));
    assertThat(called.has("ttlMs")).isFalse();
  }

  @Test
  void aCallReportsProgressOnItsStreamAndGivesTheRunsOutput() {
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    Sent call = Sent.ask("count").meta("logLevel", TextNode.valueOf("debug"));
    call.body().withObject("/params/_meta").put("progressToken", 2);
    try (Stream<String> lines =
        operator().stream("POST", path(), call.body().toString(), call.headers())) {
      Iterator<JsonNode> messages = messages(lines);
      RunId run = run(request(agent));
      rig.emit(agent, NAMESPACE, run, "counted", TextNode.valueOf("one"));
      JsonNode told = messages.next();
      assertThat(told.path("method").asText()).isEqualTo("notifications/progress");
      assertThat(told.at("/params/progressToken").asInt()).isEqualTo(2);
      end(agent, run, TextNode.valueOf("one"));
      JsonNode response = messages.next();
      assertThat(response.at("/result/resultType").asText()).isEqualTo("complete");
      assertThat(response.at("/result/content/0/text").asText()).isEqualTo("one");
      assertThat(messages.hasNext()).isFalse();
    }
    assertThat(cancellations(agent)).isEmpty();
  }

  @Test
  void aClientThatClosesTheStreamOfItsCallCancelsIt() {
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    Sent call = Sent.ask("go");
    RunId run;
    try (Stream<String> lines =
        operator().stream("POST", path(), call.body().toString(), call.headers())) {
      run = run(request(agent));
      assertThat(lines.findFirst()).isPresent();
    }
    Entry told =
        Awaitility.await()
            .atMost(ApiClient.LONGEST)
            .until(() -> cancellations(agent), found -> !found.isEmpty())
            .getFirst();
    assertThat(told.key()).endsWith(run.value());
    assertThat(told.value().path("reason").asText())
        .isEqualTo("key OPERATOR: the MCP client closed its call");
  }

  @Test
  void aNodeThatEndsCancelsNoCallAndTheSameKeyIsTheSameRunElsewhere() {
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    Sent call = Sent.ask("go").header("Idempotency-Key", "one");
    HttpApi ending = rig.start(ApiRig.keys(folder, List.of()), Map.of());
    try (Stream<String> lines =
        ApiClient.of(ending).key(ApiRig.key(Role.OPERATOR)).stream(
            "POST", path(), call.body().toString(), call.headers())) {
      request(agent);
      ending.close();
      assertThat(messages(lines).hasNext()).isFalse();
    }
    ObjectNode again = call.body().deepCopy().put("id", 8);
    CompletableFuture<ApiClient.Reply> answer =
        async(() -> operator().send("POST", path(), again.toString(), call.headers()));
    end(agent, run(request(agent)), TextNode.valueOf("done"));
    assertThat(answer.join().is(200).text()).contains("\"text\":\"done\"");
    assertThat(requests(agent)).hasSize(1);
    assertThat(cancellations(agent)).isEmpty();
  }

  @Test
  void whatARequestSaysTwiceItSaysAlike() {
    spawn("worker", ApiRig.BLUEPRINT);
    Sent list = Sent.of("tools/list", Map.of());
    Sent call = Sent.of("tools/call", Map.of("name", "list_agents"));
    refused(list.without("mcp-protocol-version"), 400, -32020);
    refused(list.header("mcp-protocol-version", "2025-11-25"), 400, -32020);
    refused(list.without("mcp-method"), 400, -32020);
    refused(list.header("mcp-method", "TOOLS/LIST"), 400, -32020);
    refused(call.without("mcp-name"), 400, -32020);
    refused(call.header("mcp-name", "run_agent"), 400, -32020);
    refused(call.header("mcp-name", "=?base64?%%?="), 400, -32020);
    // Of two headers of one name, a proxy may read the first and the node the second.
    reply(list.header("Mcp-Method", "tools/call")).problem(400, "bad-request");
    String named =
        Base64.getEncoder().encodeToString("list_agents".getBytes(StandardCharsets.UTF_8));
    result(call.header("mcp-name", "=?base64?" + named + "?="));
  }

  @Test
  void aRequestIsRefusedWithItsOwnError() {
    Sent list = Sent.of("tools/list", Map.of());
    JsonNode unknown =
        refused(
            list.meta("protocolVersion", TextNode.valueOf("2031-01-01"))
                .header("mcp-protocol-version", "2031-01-01"),
            400,
            -32022);
    assertThat(unknown.at("/data/requested").asText()).isEqualTo("2031-01-01");
    assertThat(unknown.at("/data/supported/0").asText()).isEqualTo(REVISION);
    refused(
        list.meta("protocolVersion", TextNode.valueOf("2025-11-25"))
            .header("mcp-protocol-version", "2025-11-25"),
        400,
        -32022);
    refused(list.meta("clientCapabilities", TextNode.valueOf("all")), 400, -32602);
    ObjectNode silent = list.body().deepCopy();
    silent.withObject("/params").remove("_meta");
    refused(new Sent(silent, list.headers()), 400, -32602);
    for (String gone : List.of("initialize", "ping", "resources/subscribe", "prompts/list")) {
      refused(Sent.of(gone, Map.of()), 404, -32601);
    }
    JsonNode absent =
        refused(Sent.of("resources/read", Map.of("uri", uri("board/none"))), 400, -32602);
    assertThat(absent.at("/data/uri").asText()).isEqualTo(uri("board/none"));
    refused(Sent.of("tools/call", Map.of("name", "fly")), 400, -32602);
    refused(Sent.of("tools/list", Map.of("cursor", "nonsense")), 400, -32602);
    // Only a client with a session may do without them.
    ObjectNode discover = ProtocolJson.object().put("jsonrpc", "2.0").put("id", 7);
    discover.put("method", "server/discover");
    refused(new Sent(discover, Map.of()), 200, -32601);
  }

  @Test
  void aNotificationOfARequestsEndIsTakenAndCancelsNothing() {
    ObjectNode cancel = ProtocolJson.object().put("jsonrpc", "2.0");
    cancel.put("method", "notifications/cancelled").putObject("params").put("requestId", 7);
    assertThat(
            operator()
                .send("POST", path(), cancel.toString(), Map.of("mcp-protocol-version", REVISION))
                .is(202)
                .text())
        .isEmpty();
  }

  @Test
  void aClientListensToTheEntriesThatItNames() {
    board.write(Write.value("a", 1)).toCompletableFuture().join();
    Sent listen =
        Sent.of(
            "subscriptions/listen",
            Map.of(
                "notifications",
                Map.of(
                    "toolsListChanged",
                    true,
                    "resourceSubscriptions",
                    List.of(
                        uri("board/a"),
                        uri("scopes/namespace:notes/n"),
                        "colony://rival/lab/board/a"))));
    try (Stream<String> lines =
        operator().stream("POST", path(), listen.body().toString(), listen.headers())) {
      Iterator<JsonNode> messages = messages(lines);
      JsonNode told = messages.next();
      assertThat(told.path("method").asText())
          .isEqualTo("notifications/subscriptions/acknowledged");
      assertThat(told.at("/params/notifications").properties()).hasSize(1);
      assertThat(texts(told.at("/params/notifications/resourceSubscriptions")))
          .containsExactly(uri("board/a"), uri("scopes/namespace:notes/n"));
      board.write(Write.value("b", 1)).toCompletableFuture().join();
      rig.client()
          .blackboards()
          .open(Scope.colony("acme", colony).namespace("notes"), "tester")
          .write(Write.value("n", 1))
          .toCompletableFuture()
          .join();
      JsonNode note = messages.next();
      assertThat(note.at("/params/uri").asText()).isEqualTo(uri("scopes/namespace:notes/n"));
      board.delete("a").toCompletableFuture().join();
      JsonNode gone = messages.next();
      assertThat(gone.path("method").asText()).isEqualTo("notifications/resources/updated");
      assertThat(gone.at("/params/uri").asText()).isEqualTo(uri("board/a"));
      for (JsonNode one : List.of(told, note, gone)) {
        assertThat(one.path("params").path("_meta").path(META + "subscriptionId").asInt())
            .isEqualTo(7);
      }
    }
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }
}
