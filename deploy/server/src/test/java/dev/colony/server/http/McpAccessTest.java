package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentId;
import dev.colony.server.Principal.Role;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an MCP server over HTTP refuses: keys, origins and bodies. */
class McpAccessTest extends McpFixture {

  private static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";

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
  void whatIsRefusedIsAnErrorOfJsonRpc() {
    ApiClient raw = ApiClient.of(api).key(ApiRig.key(Role.OPERATOR));
    Map<String, String> plain = Map.of("Content-Type", "text/plain");
    Map<String, String> version = Map.of("Mcp-Protocol-Version", "1999-01-01");
    refused(raw.send("POST", path(), "{", Map.of()), 400, "malformed", -32700);
    refused(raw.send("POST", path(), "", Map.of()), 400, "malformed", -32700);
    refused(raw.send("POST", path(), "[]", Map.of()), 400, "bad-request", -32600);
    refused(raw.send("POST", path(), LIST, version), 400, "bad-request", -32600);
    refused(raw.send("POST", path(), LIST, plain), 415, "unsupported-media-type", -32000);
    refused(raw.send("POST", path(), " ".repeat(2 << 20), Map.of()), 413, "too-large", -32000);
    refused(raw.send("GET", path(), "", Map.of()), 405, "method-not-allowed", -32000);
    refused(raw.send("DELETE", path(), "", Map.of()), 405, "method-not-allowed", -32000);
    refused(raw.send("POST", path() + "?a=b", LIST, Map.of()), 400, "bad-request", -32600);
    refused(raw.send("POST", "/mcp", LIST, Map.of()), 404, "not-found", -32000);
    ApiClient keyless = ApiClient.of(api);
    refused(keyless.send("POST", path(), LIST, Map.of()), 401, "no-key", -32000);
  }

  private static void refused(ApiClient.Reply reply, int status, String code, int jsonRpc) {
    assertThat(reply.json().path("jsonrpc").asText()).as(reply.text()).isEqualTo("2.0");
    reply.problem(status, code);
    assertThat(reply.json().at("/error/code").asInt()).as(reply.text()).isEqualTo(jsonRpc);
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
          .containsExactlyInAnyOrder("list_agents", "agent_status", "explore", "run_status");
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
}
