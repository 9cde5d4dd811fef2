package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.cli.local.StdioBridge;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.http.ApiRig;
import dev.colony.server.http.HttpApi;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A colony over standard input and output. */
class McpCommandTest {

  private static final String PATH = "/v1/tenants/acme/colonies/billing/mcp";
  private static final String INITIALIZE =
      "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
          + "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";

  private static ApiRig rig;
  private static HttpApi api;

  @BeforeAll
  static void start() {
    rig = new ApiRig();
    api = rig.start();
  }

  @AfterAll
  static void end() {
    api.close();
    rig.close();
  }

  @Test
  void aClientOfTheOfficialSdkListsAndCallsAgents() {
    AgentId agent = rig.agent();
    ServerParameters colony =
        ServerParameters.builder(Path.of(System.getProperty("java.home"), "bin", "java").toString())
            .args(line("mcp", "acme/billing", "--url", api.uri().toString()))
            .build();
    try (McpSyncClient client =
        McpClient.sync(new StdioClientTransport(colony, ProtocolJson.INSTANCE))
            .jsonSchemaValidator(ProtocolJson.INSTANCE)
            .requestTimeout(ColonyProcess.LONGEST)
            .initializationTimeout(ColonyProcess.LONGEST)
            .build()) {
      assertThat(client.initialize().serverInfo().name()).isEqualTo("colony");
      assertThat(client.listTools().tools())
          .extracting(Tool::name)
          .contains("run_agent", "ask_" + agent.name());
      CompletableFuture<CallToolResult> call =
          CompletableFuture.supplyAsync(
              () ->
                  client.callTool(
                      CallToolRequest.builder("ask_" + agent.name())
                          .arguments(Map.of("input", "what is due?"))
                          .build()),
              Thread::startVirtualThread);
      answer(agent, "nothing is due");
      assertThat(((TextContent) call.join().content().getFirst()).text())
          .isEqualTo("nothing is due");
    }
  }

  @Test
  void itEndsWithItsInputAndPrintsNothingButMessages() throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(line("mcp", "acme/billing", "--url", api.uri().toString()));
    Process process = new ProcessBuilder(command).start();
    try {
      process
          .getOutputStream()
          .write((INITIALIZE + "\nnonsense\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().close();
      List<JsonNode> messages =
          parse(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
      assertThat(process.waitFor()).isZero();
      assertThat(messages).hasSize(2);
      assertThat(messages.get(0).path("result").path("protocolVersion").asText())
          .isEqualTo("2025-06-18");
      assertThat(messages.get(1).path("error").path("code").asInt()).isEqualTo(-32700);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aCallWhoseNodeEndsGoesOnAtTheNextNodeAsTheSameRun() throws Exception {
    AgentId agent = rig.agent();
    goesOn(agent, INITIALIZE + "\n" + call(agent));
  }

  @Test
  void soDoesOneWithoutASession() throws Exception {
    AgentId agent = rig.agent();
    goesOn(agent, stateless(call(agent)));
  }

  @Test
  void aClientWithoutASessionIsAnsweredAndCancelsItsCall() throws Exception {
    AgentId agent = rig.agent();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PipedOutputStream client = new PipedOutputStream();
    PipedInputStream in = new PipedInputStream(client);
    CompletableFuture<Void> carried = carried(List.of(URI.create(api.uri() + PATH)), in, out);
    String discover =
        stateless("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"server/discover\",\"params\":{}}");
    client.write(
        String.join(
                "\n",
                discover,
                discover.replace("server/discover", "ping").replace("\"id\":2", "\"id\":3"),
                stateless(call(agent)),
                "")
            .getBytes(StandardCharsets.UTF_8));
    client.flush();
    String run = request(agent).key().substring("request:run:".length());
    client.write(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n"
            .getBytes(StandardCharsets.UTF_8));
    client.flush();
    Awaitility.await()
        .atMost(ColonyProcess.LONGEST)
        .until(() -> !entries(agent, "cancel:run:" + run).isEmpty());
    client.close();
    carried.join();
    Map<Integer, JsonNode> answers = new HashMap<>();
    parse(out.toString(StandardCharsets.UTF_8))
        .forEach(one -> answers.put(one.path("id").asInt(), one));
    assertThat(answers).containsOnlyKeys(2, 3);
    assertThat(answers.get(2).at("/result/supportedVersions/0").asText()).isEqualTo("2026-07-28");
    assertThat(answers.get(3).at("/error/code").asInt()).isEqualTo(-32601);
  }

  private static void goesOn(AgentId agent, String lines) throws Exception {
    HttpApi first = rig.start();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PipedOutputStream client = new PipedOutputStream();
    PipedInputStream in = new PipedInputStream(client);
    CompletableFuture<Void> carried =
        carried(List.of(URI.create(first.uri() + PATH), URI.create(api.uri() + PATH)), in, out);
    client.write((lines + "\n").getBytes(StandardCharsets.UTF_8));
    client.flush();
    request(agent);
    first.close();
    answer(agent, "done");
    client.close();
    carried.join();
    List<JsonNode> messages = parse(out.toString(StandardCharsets.UTF_8));
    assertThat(messages.getLast().path("result").path("content").path(0).path("text").asText())
        .isEqualTo("done");
    assertThat(requests(agent)).hasSize(1);
  }

  private static CompletableFuture<Void> carried(
      List<URI> nodes, PipedInputStream in, ByteArrayOutputStream out) {
    StdioBridge bridge =
        new StdioBridge(
            nodes,
            Optional.empty(),
            new StdioBridge.Bounds(8, 20, Duration.ofMillis(20), Duration.ofMinutes(1)),
            new PrintStream(out, true, StandardCharsets.UTF_8));
    return CompletableFuture.runAsync(
        () -> {
          try {
            bridge.carry(in);
          } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException(failure);
          }
        },
        Thread::startVirtualThread);
  }

  /** The request as the revision 2026-07-28 has it. */
  private static String stateless(String request) {
    return request.replace(
        "\"params\":{",
        "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientCapabilities\":{}}"
            + (request.contains("\"params\":{}") ? "" : ","));
  }

  @Test
  void whereNoNodeAnswersEachRequestIsToldSo() throws Exception {
    int nobody;
    try (ServerSocket free = new ServerSocket(0)) {
      nobody = free.getLocalPort();
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new StdioBridge(
            List.of(URI.create("http://127.0.0.1:" + nobody + PATH)),
            Optional.empty(),
            new StdioBridge.Bounds(8, 2, Duration.ofMillis(1), Duration.ofMinutes(1)),
            new PrintStream(out, true, StandardCharsets.UTF_8))
        .carry(
            new ByteArrayInputStream(
                (INITIALIZE + "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
                    .getBytes(StandardCharsets.UTF_8)));
    assertThat(parse(out.toString(StandardCharsets.UTF_8)))
        .hasSize(2)
        .allSatisfy(message ->
            assertThat(message.path("error").path("message").asText())
                .contains("no node", Integer.toString(nobody)));
  }

  private static List<String> line(String... arguments) {
    List<String> line = new ArrayList<>(QuickStart.options());
    line.add(Main.class.getName());
    line.addAll(List.of(arguments));
    return line;
  }

  private static String call(AgentId agent) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ask_%s\",\"arguments\":{\"input\":\"go\"}}}"
        .formatted(agent.name());
  }

  private static List<JsonNode> parse(String lines) throws IOException {
    List<JsonNode> messages = new ArrayList<>();
    for (String one : lines.lines().toList()) {
      messages.add(JsonMapper.builder().build().readTree(one));
    }
    return messages;
  }

  /** Plays the agent. */
  private static void answer(AgentId agent, String words) {
    RunId run = new RunId(request(agent).key().substring("request:run:".length()));
    rig.end(agent, "mcp", AgentRun.completed(run, TextNode.valueOf(words), RunStats.NONE));
  }

  private static Entry request(AgentId agent) {
    return Awaitility.await()
        .atMost(ColonyProcess.LONGEST)
        .until(() -> requests(agent), found -> !found.isEmpty())
        .getFirst();
  }

  private static List<Entry> requests(AgentId agent) {
    return entries(agent, "request:run:*");
  }

  private static List<Entry> entries(AgentId agent, String keys) {
    return rig.client()
        .blackboards()
        .open(agent.scope().namespace("mcp"), "tester")
        .query(Query.keys(keys))
        .toCompletableFuture()
        .join()
        .entries();
  }
}
