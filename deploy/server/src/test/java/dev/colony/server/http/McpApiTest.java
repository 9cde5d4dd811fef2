package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.access.AccessKey;
import dev.colony.server.access.Principal;
import dev.colony.server.access.Role;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ListResourcesResult;
import io.modelcontextprotocol.spec.McpSchema.ListToolsResult;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.ResourceTemplate;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A colony as an MCP server over HTTP, asked by the client of the official SDK. */
class McpApiTest {

  private static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";

  private static final String NAMESPACE = "mcp";

  @TempDir private static Path folder;

  private static ApiRig rig;
  private static HttpApi api;

  private String colony;
  private Blackboard board;
  private final Queue<ProgressNotification> progress = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void start() {
    rig = new ApiRig();
    api =
        rig.start(
            ApiRig.keys(
                folder,
                List.of(AccessKey.of(new Principal("rival", "rival", Role.ADMIN), "key-of-rival"))),
            Map.of());
  }

  @AfterAll
  static void end() {
    api.close();
    rig.close();
  }

  @BeforeEach
  void fresh() {
    colony = "c-" + UUID.randomUUID();
    board = rig.client().blackboards().open(Scope.colony("acme", colony), "tester");
  }

  @Test
  void eachRootAgentIsAToolWithTheInputsThatItsBlueprintDeclares() {
    ActionPolicyIO io =
        ActionPolicyIO.builder()
            .input("file", ProtocolJson.object().put("type", "string"))
            .optionalInput("depth", ProtocolJson.object().put("type", "integer"))
            .build();
    spawn(
        "reviewer",
        AgentBlueprint.of(
            new Blueprint("test.any", ProtocolJson.tree(Map.of("role", "You review.", "io", io)))));
    spawn("plain", ApiRig.BLUEPRINT);
    spawn("no.tool~name", ApiRig.BLUEPRINT);
    try (McpSyncClient client = client(Role.OPERATOR)) {
      Map<String, Tool> tools = new java.util.TreeMap<>();
      client.listTools().tools().forEach(one -> tools.put(one.name(), one));
      assertThat(tools.keySet())
          .containsExactly(
              "agent_status",
              "answer_request",
              "ask_plain",
              "ask_reviewer",
              "cancel_run",
              "list_agents",
              "run_agent",
              "run_status",
              "signal_agent");
      JsonNode reviewer = ProtocolJson.tree(tools.get("ask_reviewer").inputSchema());
      assertThat(reviewer.path("properties").path("depth").path("type").asText())
          .isEqualTo("integer");
      assertThat(reviewer.path("required").toString()).isEqualTo("[\"file\"]");
      assertThat(tools.get("ask_reviewer").description()).contains("You review.");
      assertThat(tools.get("run_status").annotations().readOnlyHint()).isTrue();
      assertThat(tools.get("run_agent").annotations().readOnlyHint()).isFalse();
    }
  }

  @Test
  void aCallReportsProgressAndGivesTheRunsOutput() {
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    try (McpSyncClient client = client(Role.OPERATOR)) {
      CompletableFuture<CallToolResult> call =
          async(() ->
              client.callTool(
                  CallToolRequest.builder("ask_worker")
                      .arguments(Map.of("input", "count to three"))
                      .meta(Map.of("progressToken", "p1"))
                      .build()));
      Entry request = request(agent);
      assertThat(request.value().path("input").asText()).isEqualTo("count to three");
      RunId run = run(request);
      rig.emit(agent, NAMESPACE, run, "counted", TextNode.valueOf("one"));
      Awaitility.await().until(() -> !progress.isEmpty());
      rig.emit(agent, NAMESPACE, run, "counted", TextNode.valueOf("two"));
      end(agent, run, TextNode.valueOf("one two three"));
      CallToolResult result = call.join();
      assertThat(text(result)).isEqualTo("one two three");
      assertThat(result.isError()).isNotEqualTo(true);
      JsonNode whole = ProtocolJson.tree(result.structuredContent());
      assertThat(whole.path("runId").asText()).isEqualTo(run.value());
      assertThat(whole.path("output").asText()).isEqualTo("one two three");
      Awaitility.await().until(() -> progress.size() == 2);
      assertThat(progress)
          .extracting(ProgressNotification::message)
          .containsExactly("counted: one", "counted: two");
      assertThat(progress).extracting(ProgressNotification::progress).containsExactly(1.0, 2.0);
    }
  }

  @Test
  void aRunThatFailsIsAResultThatSaysSo() {
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    try (McpSyncClient client = client(Role.OPERATOR)) {
      CompletableFuture<CallToolResult> call = ask(client, "worker", "go");
      RunId run = run(request(agent));
      rig.end(agent, NAMESPACE, AgentRun.failed(run, "the disk is full", RunStats.NONE));
      assertThat(call.join().isError()).isTrue();
      assertThat(text(call.join())).isEqualTo("FAILED: the disk is full");
    }
  }

  @Test
  void whatIsWrongWithArgumentsIsAResultThatSaysSo() {
    ActionPolicyIO io =
        ActionPolicyIO.builder()
            .input("depth", ProtocolJson.object().put("type", "integer"))
            .build();
    spawn(
        "deep", AgentBlueprint.of(new Blueprint("test.any", ProtocolJson.tree(Map.of("io", io)))));
    spawn("plain", ApiRig.BLUEPRINT);
    try (McpSyncClient client = client(Role.OPERATOR)) {
      for (Map.Entry<String, Map<String, Object>> wrong :
          List.<Map.Entry<String, Map<String, Object>>>of(
              Map.entry("ask_deep", Map.of("depth", "much")),
              Map.entry("ask_deep", Map.of()),
              Map.entry("ask_plain", Map.of("text", "x")),
              Map.entry("ask_nobody", Map.of("input", "x")),
              Map.entry("run_agent", Map.of("agent", "plain")),
              Map.entry("run_agent", Map.of("agent", "a b", "input", "x")),
              Map.entry("run_agent", Map.of("agent", "nobody", "input", "x")),
              Map.entry("run_status", Map.of("agent", "plain", "run", "r-none")),
              Map.entry("list_agents", Map.of("state", "happy")))) {
        CallToolResult result =
            client.callTool(
                CallToolRequest.builder(wrong.getKey()).arguments(wrong.getValue()).build());
        assertThat(result.isError()).as(wrong.toString()).isTrue();
        assertThat(text(result)).isNotBlank().doesNotContain("\n", "Exception");
      }
      assertThatThrownBy(
              () -> client.callTool(CallToolRequest.builder("fly").arguments(Map.of()).build()))
          .isInstanceOf(McpError.class)
          .hasMessageContaining("fly");
    }
    assertThat(requests(new AgentId("acme", colony, "plain"))).isEmpty();
  }

  @Test
  void aBodyThatIsNoMessageIsRefused() {
    ApiClient raw = ApiClient.of(api).key(ApiRig.key(Role.OPERATOR));
    String unnamed = LIST.replace("\"id\":1", "\"id\":{}");
    for (String body : List.of("null", "[]", "3", "\"a\"", "{}", "{", "[" + LIST + "]", unnamed)) {
      ApiClient.Reply reply = raw.send("POST", path(), body, Map.of());
      assertThat(reply.is(400).text()).as(body).contains("no message of JSON-RPC 2.0");
    }
  }

  @Test
  void aCancelledCallEndsItsRunFromAnyNodeAndNoOtherSessionCan() {
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    ApiClient raw = ApiClient.of(api).key(ApiRig.key(Role.OPERATOR));
    String call =
        "{\"jsonrpc\":\"2.0\",\"id\":\"c7\",\"method\":\"tools/call\",\"params\":{\"name\":\"ask_worker\","
            + "\"arguments\":{\"input\":\"go\"}}}";
    String cancel =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"c7\","
            + "\"reason\":\"enough\"}}";
    CompletableFuture<ApiClient.Reply> answer =
        async(() -> raw.send("POST", path(), call, session("s1")));
    RunId run = run(request(agent));
    try (HttpApi other = rig.start(ApiRig.keys(folder, List.of()), Map.of())) {
      ApiClient elsewhere = ApiClient.of(other).key(ApiRig.key(Role.OPERATOR));
      Awaitility.await()
          .until(
              () -> !entries(Scope.colony("acme", colony).namespace("mcp-calls"), "*").isEmpty());
      elsewhere.send("POST", path(), cancel, session("s2")).is(202);
      assertThat(cancellations(agent)).isEmpty();
      elsewhere.send("POST", path(), cancel, session("s1")).is(202);
      assertThat(cancellations(agent)).hasSize(1);
      Entry told = cancellations(agent).getFirst();
      assertThat(told.key()).endsWith(run.value());
      assertThat(told.value().path("reason").asText()).isEqualTo("key OPERATOR: enough");
    }
    rig.end(agent, NAMESPACE, AgentRun.cancelled(run, "enough", RunStats.NONE));
    assertThat(answer.join().is(200).text()).contains("\"isError\":true", "CANCELLED: enough");
  }

  @Test
  void theSameRequestOfASessionMadeAgainIsTheSameRun() {
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    ApiClient raw = ApiClient.of(api).key(ApiRig.key(Role.OPERATOR));
    String call =
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"run_agent\","
            + "\"arguments\":{\"agent\":\"worker\",\"input\":\"go\",\"wait_seconds\":0}}}";
    JsonNode first = raw.send("POST", path(), call, session("s1")).is(200).json();
    assertThat(raw.send("POST", path(), call, session("s1")).is(200).json()).isEqualTo(first);
    assertThat(raw.send("POST", path(), call, session("s2")).is(200).json()).isNotEqualTo(first);
    assertThat(requests(agent)).hasSize(2);
  }

  @Test
  void aRunThatTakesLongerGoesOnAndCanBeLookedAfter() {
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    try (McpSyncClient client = client(Role.OPERATOR)) {
      CallToolResult late =
          client.callTool(
              CallToolRequest.builder("run_agent")
                  .arguments(Map.of("agent", "worker", "input", "go", "wait_seconds", 1))
                  .build());
      assertThat(late.isError()).isNotEqualTo(true);
      JsonNode whole = ProtocolJson.tree(late.structuredContent());
      assertThat(whole.path("ended").asBoolean(true)).isFalse();
      RunId run = new RunId(whole.path("runId").asText());
      assertThat(text(status(client, run))).contains("\"ended\":false");
      end(agent, run, TextNode.valueOf("done"));
      assertThat(text(status(client, run))).isEqualTo("done");
    }
  }

  @Test
  void aResultThatIsTooLargeIsNotCutButLeftOut() {
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    try (McpSyncClient client = client(Role.OPERATOR)) {
      CompletableFuture<CallToolResult> call = ask(client, "worker", "go");
      end(agent, run(request(agent)), TextNode.valueOf("x".repeat(300_000)));
      assertThat(call.join().isError()).isTrue();
      assertThat(text(call.join()))
          .contains("300", "colony.mcp.server.output")
          .hasSizeLessThan(300);
    }
    board.write(Write.value("large", "x".repeat(300_000))).toCompletableFuture().join();
    try (McpSyncClient client = client(Role.VIEWER)) {
      assertThatThrownBy(() -> read(client, "colony://acme/" + colony + "/board/large"))
          .isInstanceOf(McpError.class)
          .hasMessageContaining("colony.mcp.server.output");
    }
  }

  @Test
  void listsComeInPagesOfBoundedSize() {
    for (int i = 0; i < 130; i++) {
      spawn("a-%03d".formatted(i), ApiRig.BLUEPRINT);
      board.write(Write.value("k-%03d".formatted(i), i)).toCompletableFuture().join();
    }
    try (McpSyncClient client = client(Role.OPERATOR)) {
      ListToolsResult first = client.listTools(null);
      List<Tool> tools = new ArrayList<>(first.tools());
      for (String next = first.nextCursor(); next != null; ) {
        ListToolsResult page = client.listTools(next);
        tools.addAll(page.tools());
        next = page.nextCursor();
      }
      assertThat(tools).filteredOn(one -> one.name().startsWith("ask_")).hasSize(64);
      List<String> uris = new ArrayList<>();
      String next = null;
      do {
        ListResourcesResult page = client.listResources(next);
        assertThat(page.resources()).hasSizeLessThanOrEqualTo(100);
        page.resources().forEach(one -> uris.add(one.uri()));
        next = page.nextCursor();
      } while (next != null);
      assertThat(uris).hasSize(130).doesNotHaveDuplicates();
      assertThatThrownBy(() -> client.listResources("nonsense")).isInstanceOf(McpError.class);
      assertThatThrownBy(() -> client.listTools("nonsense")).isInstanceOf(McpError.class);
    }
  }

  @Test
  void entriesOfTheBlackboardAreResources() {
    board
        .write(Write.value("finding:a/b c+d%é", Map.of("severity", "high")))
        .toCompletableFuture()
        .join();
    rig.client()
        .blackboards()
        .open(Scope.colony("acme", colony).namespace("notes"), "tester")
        .write(Write.value("n", "plain text"))
        .toCompletableFuture()
        .join();
    try (McpSyncClient client = client(Role.VIEWER)) {
      Resource listed = client.listResources().resources().getFirst();
      assertThat(listed.name()).isEqualTo("finding:a/b c+d%é");
      TextResourceContents entry = read(client, listed.uri());
      assertThat(entry.text()).isEqualTo("{\"severity\":\"high\"}");
      assertThat(entry.mimeType()).isEqualTo("application/json");
      assertThat(entry.meta()).containsEntry("version", 1).containsEntry("updatedBy", "tester");
      assertThat(read(client, uri("scopes/namespace:notes/n")).text()).isEqualTo("plain text");
      assertThat(client.listResourceTemplates().resourceTemplates())
          .extracting(ResourceTemplate::uriTemplate)
          .contains(
              uri("board/{key}"), uri("scopes/{scope}/{key}"), uri("agents/{agent}/pages/{page}"));
      for (String absent :
          List.of(
              uri("board/none"),
              uri("nothing/x"),
              uri("scopes/tenant:rival/x"),
              uri("scopes/colony:other/x"),
              uri("agents/nobody/pages/" + "a".repeat(26)),
              "colony://rival/lab/board/x",
              "file:///etc/passwd")) {
        assertThatThrownBy(() -> read(client, absent)).as(absent).isInstanceOf(McpError.class);
      }
    }
  }

  @Test
  void pagesOfAnAgentAreResourcesOfThatAgentAlone() {
    PageId page = new PageId("b".repeat(26));
    PageId foreign = new PageId("c".repeat(26));
    PageGroup group = new PageGroup(new PageGroupId("d".repeat(26)), "src", List.of(page), 3);
    PageGroup other = new PageGroup(new PageGroupId("e".repeat(26)), "lib", List.of(foreign), 3);
    rig.map(
        new PageMap("m", "here", List.of(group, other), 2),
        Stream.of(page, foreign)
            .map(id -> new VirtualContextPage(id, "text of " + id, 3, List.of()))
            .toList());
    spawn("bound", ApiRig.BLUEPRINT.pages(group.id()));
    spawn("free", ApiRig.BLUEPRINT);
    try (McpSyncClient client = client(Role.VIEWER)) {
      List<Resource> listed = client.listResources().resources();
      assertThat(listed)
          .extracting(Resource::uri)
          .containsExactly(uri("agents/bound/pages/" + page));
      assertThat(read(client, listed.getFirst().uri()).text()).isEqualTo("text of " + page);
      for (String hidden :
          List.of(uri("agents/bound/pages/" + foreign), uri("agents/free/pages/" + page))) {
        assertThatThrownBy(() -> read(client, hidden)).isInstanceOf(McpError.class);
      }
    }
  }

  @Test
  void aKeyReachesWhatItsRoleAndTenantDo() {
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    ApiClient keyless = ApiClient.of(api);
    keyless.send("POST", path(), LIST, Map.of()).problem(401, "no-key");
    keyless.key("key-of-rival").send("POST", path(), LIST, Map.of()).problem(403, "forbidden");
    try (McpSyncClient viewer = client(Role.VIEWER)) {
      assertThat(viewer.listTools().tools())
          .extracting(Tool::name)
          .containsExactlyInAnyOrder("list_agents", "agent_status", "run_status");
      for (String tool : List.of("ask_worker", "run_agent", "cancel_run", "signal_agent")) {
        assertThatThrownBy(() ->
                viewer.callTool(
                    CallToolRequest.builder(tool)
                        .arguments(Map.of("agent", "worker", "input", "x"))
                        .build()))
            .isInstanceOf(McpError.class)
            .hasMessageContaining("VIEWER");
      }
      assertThat(
              text(
                  viewer.callTool(
                      CallToolRequest.builder("agent_status")
                          .arguments(Map.of("agent", "worker"))
                          .build())))
          .contains("worker");
    }
    assertThat(requests(agent)).isEmpty();
  }

  @Test
  void aPageOfAnotherOriginIsRefusedWhateverItsKey() {
    ApiClient raw = ApiClient.of(api).key(ApiRig.key(Role.VIEWER));
    for (String origin : List.of("https://evil.example", "null", "http://localhost.evil.example")) {
      raw.send("POST", path(), LIST, Map.of("Origin", origin)).problem(403, "forbidden");
    }
    raw.send("POST", path(), LIST, Map.of("Origin", "http://localhost:6274")).is(200);
    raw.send("POST", path(), LIST, Map.of("Mcp-Protocol-Version", "1999-01-01"))
        .problem(400, "bad-request");
    raw.send("POST", path(), "[" + LIST + "]", Map.of()).problem(400, "bad-request");
    raw.send("POST", path(), "{}", Map.of()).problem(400, "bad-request");
    assertThat(
            raw.send("POST", path(), LIST.replace("tools/list", "tools/fly"), Map.of())
                .is(200)
                .json()
                .path("error")
                .path("code")
                .asInt())
        .isEqualTo(-32601);
    raw.send("GET", path(), "", Map.of()).problem(405, "method-not-allowed");
  }

  private String path() {
    return "/v1/tenants/acme/colonies/" + colony + "/mcp";
  }

  private String uri(String rest) {
    return "colony://acme/" + colony + "/" + rest;
  }

  private static Map<String, String> session(String name) {
    return Map.of("Mcp-Session-Id", name, "Accept", "application/json, text/event-stream");
  }

  private McpSyncClient client(Role role) {
    McpSyncClient client =
        McpClient.sync(
                HttpClientStreamableHttpTransport.builder(api.uri().toString())
                    .endpoint(path())
                    .jsonMapper(ProtocolJson.INSTANCE)
                    .requestBuilder(
                        HttpRequest.newBuilder()
                            .header("Authorization", "Bearer " + ApiRig.key(role)))
                    .build())
            .jsonSchemaValidator(ProtocolJson.INSTANCE)
            .requestTimeout(Duration.ofSeconds(20))
            .progressConsumer(progress::add)
            .build();
    client.initialize();
    return client;
  }

  private CompletableFuture<CallToolResult> ask(McpSyncClient client, String agent, String input) {
    return async(() ->
        client.callTool(
            CallToolRequest.builder("ask_" + agent).arguments(Map.of("input", input)).build()));
  }

  /** On a thread of its own: the client's own work runs on the common pool. */
  private static <T> CompletableFuture<T> async(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, Thread::startVirtualThread);
  }

  private static CallToolResult status(McpSyncClient client, RunId run) {
    return client.callTool(
        CallToolRequest.builder("run_status")
            .arguments(Map.of("agent", "worker", "run", run.value()))
            .build());
  }

  private static TextResourceContents read(McpSyncClient client, String uri) {
    return (TextResourceContents)
        client.readResource(ReadResourceRequest.builder(uri).build()).contents().getFirst();
  }

  private static String text(CallToolResult result) {
    return ((TextContent) result.content().getFirst()).text();
  }

  private AgentId spawn(String name, AgentBlueprint blueprint) {
    AgentId id = new AgentId("acme", colony, name);
    rig.agents().spawn(id, blueprint);
    rig.agents().born(id, blueprint);
    return id;
  }

  private static Scope runs(AgentId agent) {
    return agent.scope().namespace(NAMESPACE);
  }

  private static List<Entry> entries(Scope scope, String keys) {
    return rig.client()
        .blackboards()
        .open(scope, "tester")
        .query(Query.keys(keys))
        .toCompletableFuture()
        .join()
        .entries();
  }

  private static List<Entry> requests(AgentId agent) {
    return entries(runs(agent), "request:run:*");
  }

  private static List<Entry> cancellations(AgentId agent) {
    return entries(runs(agent), "cancel:run:*");
  }

  private static Entry request(AgentId agent) {
    return Awaitility.await().until(() -> requests(agent), found -> !found.isEmpty()).getFirst();
  }

  private static RunId run(Entry request) {
    return new RunId(request.key().substring("request:run:".length()));
  }

  private static void end(AgentId agent, RunId run, JsonNode output) {
    rig.end(agent, NAMESPACE, AgentRun.completed(run, output, RunStats.NONE));
  }
}
