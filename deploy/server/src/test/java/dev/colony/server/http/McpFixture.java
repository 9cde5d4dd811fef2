package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A colony as an MCP server over HTTP, and the client of the official SDK that asks it. */
abstract class McpFixture {

  static final String NAMESPACE = "mcp";

  @TempDir static Path folder;

  static ApiRig rig;
  static HttpApi api;

  String colony;
  Blackboard board;
  final Queue<ProgressNotification> progress = new ConcurrentLinkedQueue<>();

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

  String path() {
    return "/v1/tenants/acme/colonies/" + colony + "/mcp";
  }

  String uri(String rest) {
    return "colony://acme/" + colony + "/" + rest;
  }

  static Map<String, String> session(String name) {
    return Map.of("Mcp-Session-Id", name, "Accept", "application/json, text/event-stream");
  }

  McpSyncClient client(Role role) {
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

  CompletableFuture<CallToolResult> ask(McpSyncClient client, String agent, String input) {
    return async(() ->
        client.callTool(
            CallToolRequest.builder("ask_" + agent).arguments(Map.of("input", input)).build()));
  }

  /** On a thread of its own: the client's own work runs on the common pool. */
  static <T> CompletableFuture<T> async(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, Thread::startVirtualThread);
  }

  static CallToolResult status(McpSyncClient client, RunId run) {
    return client.callTool(
        CallToolRequest.builder("run_status")
            .arguments(Map.of("agent", "worker", "run", run.value()))
            .build());
  }

  static TextResourceContents read(McpSyncClient client, String uri) {
    return (TextResourceContents)
        client.readResource(ReadResourceRequest.builder(uri).build()).contents().getFirst();
  }

  static String text(CallToolResult result) {
    return ((TextContent) result.content().getFirst()).text();
  }

  AgentId spawn(String name, AgentBlueprint blueprint) {
    AgentId id = new AgentId("acme", colony, name);
    rig.agents().spawn(id, blueprint);
    rig.agents().born(id, blueprint);
    return id;
  }

  static Scope runs(AgentId agent) {
    return agent.scope().namespace(NAMESPACE);
  }

  static List<Entry> entries(Scope scope, String keys) {
    return rig.client()
        .blackboards()
        .open(scope, "tester")
        .query(Query.keys(keys))
        .toCompletableFuture()
        .join()
        .entries();
  }

  static List<Entry> requests(AgentId agent) {
    return entries(runs(agent), "request:run:*");
  }

  static List<Entry> cancellations(AgentId agent) {
    return entries(runs(agent), "cancel:run:*");
  }

  static Entry request(AgentId agent) {
    return Awaitility.await().until(() -> requests(agent), found -> !found.isEmpty()).getFirst();
  }

  static RunId run(Entry request) {
    return new RunId(request.key().substring("request:run:".length()));
  }

  static void end(AgentId agent, RunId run, JsonNode output) {
    rig.end(agent, NAMESPACE, AgentRun.completed(run, output, RunStats.NONE));
  }
}
