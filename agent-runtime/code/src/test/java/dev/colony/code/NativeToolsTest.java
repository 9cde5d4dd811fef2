package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.settings.Settings;
import dev.colony.code.Sandbox.CodeSettings;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.testkit.TestAgent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A model server with tools of its own: cells and ends are calls of them. */
class NativeToolsTest {

  private record ToolUse(String name, Map<String, Object> arguments) {}

  private final Queue<ToolUse> script = new ConcurrentLinkedQueue<>();
  private final List<JsonNode> asked = new CopyOnWriteArrayList<>();

  private void complete(HttpExchange exchange) throws IOException {
    JsonNode body = JsonValues.parse(exchange.getRequestBody().readAllBytes());
    asked.add(body);
    ToolUse use = script.remove();
    ObjectNode reply = JsonNodeFactory.instance.objectNode();
    reply.put("id", "c").put("object", "chat.completion").put("model", "tools");
    ObjectNode choice = reply.putArray("choices").addObject();
    choice.put("index", 0).put("finish_reason", "tool_calls");
    ObjectNode call =
        choice.putObject("message").put("role", "assistant").putArray("tool_calls").addObject();
    call.put("id", "call-" + asked.size()).put("type", "function");
    call.putObject("function")
        .put("name", use.name())
        .put("arguments", JsonValues.toJson(use.arguments()).toString());
    reply.putObject("usage").put("prompt_tokens", 10).put("completion_tokens", 2);
    send(exchange, reply);
  }

  private static void models(HttpExchange exchange) throws IOException {
    ObjectNode list = JsonNodeFactory.instance.objectNode().put("object", "list");
    list.putArray("data").addObject().put("id", "tools").put("object", "model");
    send(exchange, list);
  }

  private static void send(HttpExchange exchange, JsonNode body) throws IOException {
    byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static InferenceGateway gateway(URI uri) {
    var config = ConfigFactory.load();
    Replica here = new Replica("tools", uri, "test");
    return new HttpInferenceGateway(
        GatewaySettings.fromConfig(config),
        ModelCatalog.fromConfig(config),
        RoutingSettings.fromConfig(config),
        "test",
        ReplicaSet.of(() -> List.of(here)),
        ResidencyView.NONE,
        CallObserver.NONE,
        BacklogExchange.NONE);
  }

  private AgentRun run() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/models", NativeToolsTest::models);
    server.createContext("/v1/chat/completions", this::complete);
    server.start();
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1");
    try (Sandbox sandbox = new Sandbox(Settings.read(CodeSettings.class, ConfigFactory.load()));
        InferenceGateway gateway = gateway(uri);
        TestAgent agent =
            TestAgent.of(
                    AgentBlueprint.of(
                        CodeGenerationActionPolicy.class, CodeGenerationActionPolicy.Args.NONE))
                .service(Sandbox.class, sandbox)
                .service(InferenceGateway.class, gateway)
                .start()) {
      return agent.run("go");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void cellsAndEndsAreCallsOfTools() throws IOException {
    script.add(new ToolUse("run_cell", Map.of("code", "const a = [1, 2]; print(a.length)")));
    script.add(new ToolUse("complete", Map.of("result", Map.of("all", "$a"))));
    AgentRun run = run();
    assertThat(run.error()).isEmpty();
    assertThat(run.output().toString()).isEqualTo("{\"all\":[1,2]}");
    assertThat(run.stats().usage().promptTokens()).isEqualTo(20);
    assertThat(asked.getFirst().path("tools").findValuesAsText("name"))
        .containsExactly("run_cell", "complete", "idle", "fail");
    JsonNode messages = asked.get(1).path("messages");
    assertThat(messages.findValuesAsText("tool_call_id")).containsExactly("call-1");
    assertThat(messages.toString()).contains("2\\n## Variables changed\\n- a: list of 2: [1,2]");
  }

  @Test
  void theNextPromptSaysWhatWasWrongWithACallOfATool() throws IOException {
    script.add(new ToolUse("run_cell", Map.of("cell", "print(1)")));
    script.add(new ToolUse("run_it", Map.of("code", "print(1)")));
    script.add(new ToolUse("complete", Map.of("result", 1)));
    assertThat(run().output().asInt()).isEqualTo(1);
    assertThat(asked.get(1).path("messages").toString())
        .contains("the arguments of run_cell are not as they have to be: ", "code");
    assertThat(asked.get(2).path("messages").toString())
        .contains("Your reply was not usable: there is no tool \\\"run_it\\\"");
  }
}
