package dev.colony.mcp;

import com.sun.net.httpserver.HttpServer;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpStatelessServerFeatures;
import io.modelcontextprotocol.server.McpStatelessServerHandler;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.GetPromptResult;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.Prompt;
import io.modelcontextprotocol.spec.McpSchema.PromptArgument;
import io.modelcontextprotocol.spec.McpSchema.PromptMessage;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import io.modelcontextprotocol.spec.McpStatelessServerTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A server of the SDK in a process of its own: on standard input and output, or with {@code http}
 * as its argument over HTTP, where it prints its port.
 */
public final class McpTestServer {

  /** Where {@code strike} and {@code once} leave their marks. */
  static final String MARKS = "MARKS";

  /** How the line begins that tells the port. */
  static final String PORT = "port ";

  private McpTestServer() {}

  private static final ToolAnnotations READS = ToolAnnotations.builder().readOnlyHint(true).build();
  private static final ToolAnnotations REPEATABLE =
      ToolAnnotations.builder().idempotentHint(true).destructiveHint(false).build();

  /** A tool and what it does. */
  private record Spec(Tool tool, Function<CallToolRequest, CallToolResult> does) {}

  public static void main(String[] args) throws Exception {
    List<Spec> tools =
        List.of(
            tool(
                "echo",
                READS,
                "\"text\": {\"type\": \"string\"}",
                call -> text("heard " + call.arguments().get("text"))),
            tool(
                "sum of/two",
                READS,
                "\"a\": {\"type\": \"integer\"}, \"b\": {\"type\": \"integer\"}",
                call -> sum(call.arguments())),
            tool("fail", REPEATABLE, "", call -> failure("the disk is full")),
            tool("strike", null, "", call -> strike()),
            tool("once", REPEATABLE, "", call -> once()),
            tool(
                "big",
                READS,
                "\"size\": {\"type\": \"integer\"}",
                call -> text("x".repeat(((Number) call.arguments().get("size")).intValue()))),
            tool(
                "variables",
                READS,
                "",
                call -> text(String.join(" ", new TreeSet<>(System.getenv().keySet())))));
    if (args.length > 0) {
      http(tools);
    } else {
      stdio(tools);
    }
    Thread.currentThread().join();
  }

  private static void stdio(List<Spec> tools) {
    McpSyncServer server =
        McpServer.sync(new StdioServerTransportProvider(ProtocolJson.INSTANCE))
            .serverInfo("test", "1")
            .strictToolNameValidation(false)
            .instructions("A server for tests.")
            .jsonMapper(ProtocolJson.INSTANCE)
            .jsonSchemaValidator(ProtocolJson.INSTANCE)
            .capabilities(
                ServerCapabilities.builder()
                    .tools(true)
                    .prompts(true)
                    .resources(false, true)
                    .build())
            .tools(tools.stream().map(McpTestServer::stateful).toList())
            .resources(
                new SyncResourceSpecification(
                    Resource.builder("test://greeting", "greeting").build(),
                    (exchange, request) -> greeting(request.uri())))
            .prompts(
                new SyncPromptSpecification(
                    Prompt.builder("review")
                        .description("Asks for a review.")
                        .arguments(
                            List.of(
                                PromptArgument.builder("language")
                                    .description("of the code")
                                    .required(true)
                                    .build()))
                        .build(),
                    (exchange, request) ->
                        new GetPromptResult(
                            "",
                            List.of(said("Review this " + request.arguments().get("language"))),
                            null)))
            .build();
    Spec grown = tool("grown", READS, "", call -> text("grown up"));
    server.addTool(
        stateful(
            tool(
                "grow",
                REPEATABLE,
                "",
                call -> {
                  server.addTool(stateful(grown));
                  return text("growing");
                })));
  }

  private static PromptMessage said(String text) {
    return new PromptMessage(Role.USER, TextContent.builder(text).build());
  }

  private static ReadResourceResult greeting(String uri) {
    return ReadResourceResult.builder(
            List.of(TextResourceContents.builder(uri, "good morning").build()))
        .build();
  }

  private static SyncToolSpecification stateful(Spec spec) {
    return new SyncToolSpecification(spec.tool(), (exchange, call) -> spec.does().apply(call));
  }

  private static Spec tool(
      String name,
      ToolAnnotations hints,
      String properties,
      Function<CallToolRequest, CallToolResult> does) {
    Tool.Builder tool =
        Tool.builder(
                name,
                ProtocolJson.INSTANCE,
                """
                {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
                 "properties": {%s}, "additionalProperties": false}
                """
                    .formatted(properties))
            .description("Does " + name + ".");
    if (hints != null) {
      tool.annotations(hints);
    }
    return new Spec(tool.build(), does);
  }

  private static CallToolResult text(String text) {
    return CallToolResult.builder(List.of(TextContent.builder(text).build())).build();
  }

  private static CallToolResult sum(Map<String, Object> given) {
    int sum = ((Number) given.get("a")).intValue() + ((Number) given.get("b")).intValue();
    return CallToolResult.builder(List.of(TextContent.builder("" + sum).build()))
        .structuredContent(Map.of("sum", sum))
        .build();
  }

  private static CallToolResult failure(String why) {
    return CallToolResult.builder(List.of(TextContent.builder(why).build())).isError(true).build();
  }

  private static CallToolResult strike() {
    mark("strike");
    Runtime.getRuntime().halt(3);
    return text("never");
  }

  private static CallToolResult once() {
    if (marks().contains("once")) {
      return text("this time");
    }
    mark("once");
    Runtime.getRuntime().halt(3);
    return text("never");
  }

  private static void mark(String line) {
    try {
      Files.writeString(
          Path.of(System.getenv(MARKS)),
          line + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String marks() {
    try {
      Path marks = Path.of(System.getenv(MARKS));
      return Files.exists(marks) ? Files.readString(marks) : "";
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The SDK's server without sessions; it brings no HTTP server, only servlets. */
  private static void http(List<Spec> tools) throws IOException {
    Http transport = new Http();
    McpServer.sync(transport)
        .serverInfo("test", "1")
        .strictToolNameValidation(false)
        .jsonMapper(ProtocolJson.INSTANCE)
        .jsonSchemaValidator(ProtocolJson.INSTANCE)
        .capabilities(ServerCapabilities.builder().tools(false).build())
        .tools(
            tools.stream()
                .map(spec ->
                    new McpStatelessServerFeatures.SyncToolSpecification(
                        spec.tool(), (context, call) -> spec.does().apply(call)))
                .toList())
        .build();
    System.out.println(PORT + transport.start());
  }

  private static final class Http implements McpStatelessServerTransport {

    private McpStatelessServerHandler handler;

    @Override
    public void setMcpHandler(McpStatelessServerHandler given) {
      handler = given;
    }

    @Override
    public Mono<Void> closeGracefully() {
      return Mono.empty();
    }

    int start() throws IOException {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/mcp",
          exchange -> {
            try (exchange) {
              boolean known =
                  "Bearer tell-no-one"
                      .equals(exchange.getRequestHeaders().getFirst("Authorization"));
              boolean posted = exchange.getRequestMethod().equals("POST");
              if (!known || !posted) {
                exchange.sendResponseHeaders(known ? 405 : 401, -1);
                return;
              }
              String body =
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
              McpSchema.JSONRPCMessage message =
                  McpSchema.deserializeJsonRpcMessage(ProtocolJson.INSTANCE, body);
              if (message instanceof JSONRPCRequest request) {
                byte[] answer =
                    ProtocolJson.INSTANCE.writeValueAsBytes(
                        handler.handleRequest(McpTransportContext.EMPTY, request).block());
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
              } else {
                handler
                    .handleNotification(McpTransportContext.EMPTY, (JSONRPCNotification) message)
                    .block();
                exchange.sendResponseHeaders(202, -1);
              }
            }
          });
      server.setExecutor(java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor());
      server.start();
      return server.getAddress().getPort();
    }
  }
}
