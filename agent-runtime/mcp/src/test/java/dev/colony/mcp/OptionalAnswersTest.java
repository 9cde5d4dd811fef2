package dev.colony.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An agent uses a scripted server over HTTP that has a session and answers what it need not serve
 * in its own way.
 */
class OptionalAnswersTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOOLS =
      """
      [{"name": "echo", "inputSchema": {"type": "object",
        "properties": {"text": {"type": "string", "pattern": "^\\\\p{Letter}+$"}}}},
       {"name": "label", "inputSchema": {"type": "object",
        "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}},
       {"name": "slow", "inputSchema": {"type": "object"},
        "execution": {"taskSupport": "required"}},
       {"name": "maybe", "inputSchema": {"type": "object"},
        "execution": {"taskSupport": "optional"}}]
      """;

  private final FakeModel model = FakeModel.start();
  private final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();
  private final HttpServer server;
  private int stream;
  private int notification;
  private String streamType = "application/json";
  private volatile String session = "s1";
  private int unknownSession = 400;

  OptionalAnswersTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  }

  @BeforeEach
  void start() {
    server.createContext("/mcp", this::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  @AfterEach
  void end() {
    server.stop(0);
    model.close();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      if (exchange.getRequestMethod().equals("GET")) {
        asked.add("GET");
        send(exchange, stream, streamType, "{\"detail\": \"not this\"}");
        return;
      }
      if (exchange.getRequestMethod().equals("DELETE")) {
        send(exchange, stream, "application/json", "{}");
        return;
      }
      JsonNode message = JSON.readTree(body);
      String method = message.path("method").asText();
      asked.add(method);
      boolean known = session.equals(exchange.getRequestHeaders().getFirst("Mcp-Session-Id"));
      if (!message.has("id")) {
        send(exchange, notification, "text/plain", "whatever");
      } else if (!known && !method.equals("initialize")) {
        send(exchange, unknownSession, "application/json", "{\"error\": \"no session\"}");
      } else {
        ObjectNode reply = JSON.createObjectNode().put("jsonrpc", "2.0");
        reply.set("id", message.get("id"));
        String result = result(method, message.path("params"));
        if (result.isEmpty()) {
          reply.putObject("error").put("code", -32601).put("message", "no method " + method);
        } else {
          reply.set("result", JSON.readTree(result));
        }
        exchange.getResponseHeaders().set("Mcp-Session-Id", session);
        send(exchange, 200, "application/json", reply.toString());
      }
    }
  }

  private static String result(String method, JsonNode params) {
    return switch (method) {
      case "initialize" ->
          """
          {"protocolVersion": "2025-06-18", "serverInfo": {"name": "scripted", "version": "1"},
           "capabilities": {"tools": {}, "prompts": {}, "resources": {}}}
          """;
      case "tools/list" -> "{\"tools\": " + TOOLS + "}";
      case "resources/list" -> "{\"resources\": [{\"uri\": \"test://a\", \"name\": \"a\"}]}";
      case "tools/call" ->
          "{\"content\": [{\"type\": \"text\", \"text\": \"called %s with %s\"}]}"
              .formatted(
                  params.path("name").asText(),
                  params.path("arguments").toString().replace("\"", "'"));
      default -> "";
    };
  }

  private static void send(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private AgentRun run() {
    McpSettings settings =
        McpSettings.fromConfig(
            ConfigFactory.parseString(
                    "colony.mcp.servers.test { url = \"http://127.0.0.1:%d/mcp\" }"
                        .formatted(server.getAddress().getPort()))
                .withFallback(ConfigFactory.load()));
    AgentBlueprint blueprint =
        AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE.role("You test."))
            .capability(
                CapabilityBlueprint.of(McpCapability.class, McpCapability.Args.server("test"))
                    .key("srv"));
    try (McpServers servers = new McpServers(settings);
        TestAgent agent =
            TestAgent.of(blueprint).model(model).service(McpServers.class, servers).start()) {
      return agent.run("go");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "404, application/json, 202",
    "405, application/json, 202",
    "406, application/json, 202",
    "400, application/json, 202",
    "404, text/html, 202",
    "501, text/plain, 202",
    "500, application/json, 202",
    "200, application/json, 202",
    "405, application/json, 200",
    "405, application/json, 400",
    "404, application/json, 404",
    "405, application/json, 500"
  })
  void anAnswerToWhatIsOptionalEndsNoSession(int stream, String streamType, int notification) {
    this.stream = stream;
    this.streamType = streamType;
    this.notification = notification;
    model.expect("srv_echo").act("srv.echo", Map.of("text", "bow"));
    model.expect("called echo with {'text':'bow'}").act("srv.list_resources", Map.of());
    model.expect("test://a").act("srv.echo", Map.of("text", "again"));
    model.expect("called echo with {'text':'again'}").complete("done");
    AgentRun run = run();
    assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(asked.stream().filter("initialize"::equals)).hasSize(1);
    assertThat(asked.stream().filter("tools/call"::equals)).hasSize(2);
  }

  /** As one does that was started again, or that ends sessions which are idle. */
  @ParameterizedTest
  @ValueSource(ints = {404, 400})
  void aCallWhoseSessionTheServerHasEndedIsMadeInAnother(int status) {
    stream = 405;
    notification = 202;
    unknownSession = status;
    model
        .expect(
            "srv_echo",
            prompt -> {
              session = "s2";
              return true;
            })
        .act("srv.echo", Map.of("text", "bow"));
    model
        .expect("called echo with {'text':'bow'}")
        .act("srv.read_resource", Map.of("uri", "test://a"));
    model.expect("no method resources/read").complete("done");
    AgentRun run = run();
    assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(asked.stream().filter("initialize"::equals)).hasSize(2);
    assertThat(asked.stream().filter("tools/call"::equals)).as("one is not looked at").hasSize(2);
  }

  @Test
  void aToolWithPatternsIsCalledAndOneThatHasToBeATaskIsNotOffered() {
    stream = 404;
    notification = 202;
    model
        .expect("no srv_slow", prompt -> !prompt.text().contains("srv_slow"))
        .act("srv.label", Map.of("x-colour", "red"));
    model
        .expect("called label with {'x-colour':'red'}", "srv_maybe")
        .act("srv.label", Map.of("colour", "red"));
    model.expect("This reply is not as it has to be").complete("done");
    AgentRun run = run();
    assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(List.copyOf(asked)).contains("tools/list");
  }
}
