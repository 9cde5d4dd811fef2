package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Write;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The protocol's own Python client, {@code mcp} from 2.0 on; see {@link PythonClient}. */
@Tag("real")
class McpPythonTest extends McpFixture {

  private static final String SCRIPT =
      """
      import asyncio, os, httpx2
      from mcp import Client
      from mcp.client.streamable_http import streamable_http_client

      async def told(progress, total, message):
          print("progress", progress, message, flush=True)

      async def main(mode):
          key = {"Authorization": "Bearer key-of-OPERATOR"}
          async with httpx2.AsyncClient(headers=key, timeout=60) as http:
              transport = streamable_http_client(os.environ["COLONY_MCP"], http_client=http)
              async with Client(transport, mode=mode) as client:
                  print(client.protocol_version, client.server_info.name)
                  tools = await client.list_tools()
                  print("ask_worker" in [tool.name for tool in tools.tools])
                  uri = (await client.list_resources()).resources[0].uri
                  print((await client.read_resource(uri)).contents[0].text)
                  answer = await client.call_tool(
                      "ask_worker", {"input": mode}, progress_callback=told)
                  print(answer.content[0].text)
                  if mode == "auto":
                      async with client.listen(resource_subscriptions=[uri]) as changes:
                          await client.call_tool("run_agent", {
                              "agent": "worker", "input": "write", "wait_seconds": 0})
                          async for change in changes:
                              print("changed", change.uri == uri)
                              break
                      call = client.call_tool("ask_worker", {"input": "hang"})
                      try:
                          await asyncio.wait_for(call, 2)
                      except TimeoutError:
                          print("closed")
                      await asyncio.sleep(1)

      asyncio.run(main("auto"))
      asyncio.run(main("legacy"))
      """;

  @Test
  void itSpeaksWithAndWithoutASession() throws Exception {
    Path python = PythonClient.installed("mcp.client.subscriptions");
    AgentId agent = spawn("worker", ApiRig.BLUEPRINT);
    board.write(Write.value("k", "v")).toCompletableFuture().join();
    CompletableFuture<String[]> said =
        async(() -> {
          try {
            return PythonClient.said(python, SCRIPT, Map.of("COLONY_MCP", api.uri() + path()));
          } catch (Exception failure) {
            throw new IllegalStateException(failure);
          }
        });
    answer(agent, "auto", said);
    asked(agent, "write", said);
    board.write(Write.value("k", "w")).toCompletableFuture().join();
    RunId hanging = asked(agent, "hang", said);
    answer(agent, "legacy", said);
    assertThat(said.join())
        .containsExactly(
            "2026-07-28 colony",
            "True",
            "v",
            "progress 1.0 counted: one",
            "done: auto",
            "changed True",
            "closed",
            "2025-11-25 colony",
            "True",
            "w",
            "progress 1.0 counted: one",
            "done: legacy");
    assertThat(
            Awaitility.await()
                .atMost(ApiClient.LONGEST)
                .until(() -> cancellations(agent), found -> !found.isEmpty()))
        .singleElement()
        .satisfies(told -> assertThat(told.key()).endsWith(hanging.value()));
  }

  /** Plays the agent, once it is asked for this. */
  private void answer(AgentId agent, String input, CompletableFuture<?> said) {
    RunId run = asked(agent, input, said);
    rig.emit(agent, NAMESPACE, run, "counted", TextNode.valueOf("one"));
    end(agent, run, TextNode.valueOf("done: " + input));
  }

  private static RunId asked(AgentId agent, String input, CompletableFuture<?> said) {
    return Awaitility.await()
        .atMost(ApiClient.LONGEST)
        .until(
            () ->
                requests(agent).stream()
                    .filter(one -> one.value().path("input").asText().equals(input))
                    .map(McpFixture::run)
                    .findFirst(),
            found -> found.isPresent() || said.isDone())
        .orElseThrow(() -> new AssertionError(said.exceptionNow()));
  }
}
