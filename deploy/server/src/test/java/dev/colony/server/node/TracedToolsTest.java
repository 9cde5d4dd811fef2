package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import com.typesafe.config.Config;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.TraceParent;
import dev.colony.agent.client.Colony;
import dev.colony.library.capability.HttpService;
import dev.colony.library.capability.HttpToolCapability;
import dev.colony.mcp.McpCapability;
import dev.colony.node.Started;
import dev.colony.server.fixture.TellerTypes;
import dev.colony.server.node.SpanCollector.Received;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What tools of others are told of the trace that calls them. */
class TracedToolsTest {

  private static final String COLONY = "/v1/tenants/acme/colonies/trace";

  private final Started started = new Started();
  private final BlockingQueue<String> headers = new LinkedBlockingQueue<>();

  @AfterEach
  void stop() {
    started.close();
  }

  /** A service that keeps the header of who asks it. */
  private String service() throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          headers.add(
              Optional.ofNullable(exchange.getRequestHeaders().getFirst(TraceParent.HEADER))
                  .orElse("none"));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    started.add(() -> server.stop(0));
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private static AgentBlueprint caller(String service) {
    return AgentBlueprint.of(
            Blueprint.bind(TracedTypes.Caller.class, new TracedTypes.Caller.Args(service)))
        .capability(
            CapabilityBlueprint.of(
                HttpToolCapability.class,
                HttpToolCapability.Args.allowing(HttpService.reading(service, "keeps headers"))))
        .capability(CapabilityBlueprint.of(McpCapability.class, McpCapability.Args.server("self")));
  }

  /** The MCP server is the colony's own, so that the run that its tool begins is traced, too. */
  @Test
  void anHttpToolAndAnMcpToolAreToldTheSpanThatCallsThem() throws Exception {
    SpanCollector collector = started.add(new SpanCollector());
    String service = service();
    int port = LoopbackPorts.free(1).getFirst();
    Config config =
        LocalNodes.config(
            """
            colony.tracing.endpoint = "%s"
            colony.agent.http.private-hosts = ["127.0.0.1"]
            colony.mcp.servers.self.url = "http://127.0.0.1:%d%s/mcp"
            """
                .formatted(collector.uri(), port, COLONY));
    NodeOptions options =
        LocalNodes.options(1, LocalNodes.redis(started).uri(), OptionalInt.of(port)).getFirst();
    Colony colony = started.add(Node.start(options, config)).colony();
    AgentId teller = new AgentId("acme", "trace", "teller");
    colony.spawn(teller, TellerTypes.BLUEPRINT).toCompletableFuture().join();
    AgentRun run =
        colony
            .spawn(new AgentId("acme", "trace", "caller"), caller(service))
            .toCompletableFuture()
            .join()
            .run("go", RunOptions.namespace("traced"))
            .result()
            .toCompletableFuture()
            .orTimeout(60, TimeUnit.SECONDS)
            .join();
    assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> named(collector, "invoke_agent caller").size() == 1);

    Received root = named(collector, "invoke_agent caller").getFirst();
    Received http = named(collector, "execute_tool tool_use").getFirst();
    TraceParent told = TraceParent.parse(headers.poll()).orElseThrow();
    assertThat(headers).as("asked once").isEmpty();
    assertThat(told.traceId()).isEqualTo(root.trace());
    assertThat(told.spanId()).isEqualTo(http.id());
    Received mcp = named(collector, "execute_tool mcp.ask_teller").getFirst();
    assertThat(named(collector, "invoke_agent teller"))
        .singleElement()
        .satisfies(of -> {
          assertThat(of.trace()).isEqualTo(root.trace());
          assertThat(of.parent()).isEqualTo(mcp.id());
        });
  }

  private static List<Received> named(SpanCollector collector, String name) {
    return collector.spans().stream().filter(span -> span.name().equals(name)).toList();
  }
}
