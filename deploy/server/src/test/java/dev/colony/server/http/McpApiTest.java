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
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.Principal.Role;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Agents as tools of an MCP server over HTTP, called by the client of the official SDK. */
class McpApiTest extends McpFixture {

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
              "explore",
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
          .contains("300", "than the 262144 that a tool gives")
          .hasSizeLessThan(300);
    }
    board.write(Write.value("large", "x".repeat(300_000))).toCompletableFuture().join();
    try (McpSyncClient client = client(Role.VIEWER)) {
      assertThatThrownBy(() -> read(client, "colony://acme/" + colony + "/board/large"))
          .isInstanceOf(McpError.class)
          .hasMessageContaining("than the 262144 that a resource gives");
    }
  }
}
