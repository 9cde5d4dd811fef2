package dev.colony.server.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.wire.Problem;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.agents.AgentsReader;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import io.modelcontextprotocol.spec.McpSchema.Implementation;
import io.modelcontextprotocol.spec.McpSchema.InitializeRequest;
import io.modelcontextprotocol.spec.McpSchema.InitializeResult;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.ProtocolVersions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the messages of the protocol. Thread-safe; blocks, but not for a run. */
public final class McpServer {

  /** Revisions of the protocol that it speaks, the newest last. */
  public static final List<String> VERSIONS =
      List.of(
          ProtocolVersions.MCP_2025_03_26,
          ProtocolVersions.MCP_2025_06_18,
          ProtocolVersions.MCP_2025_11_25);

  private static final Logger LOG = LoggerFactory.getLogger(McpServer.class);

  private static final String CANCELLED = "notifications/cancelled";
  private static final String INSTRUCTIONS =
      "The colony %s of %s. Each ask_NAME tool asks one agent; run_agent asks any. Runs may take"
          + " long: a call that says that its run goes on is looked after with run_status.";

  private final AgentTools tools;
  private final ToolCalls calls;
  private final ColonyResources resources;
  private final CallRecords records;

  public McpServer(
      Colony colony,
      Blackboards blackboards,
      AgentsReader agents,
      GroupPages pages,
      McpServerSettings settings) {
    this.records = new CallRecords(blackboards, colony, settings.longestWait());
    this.tools = new AgentTools(agents, settings);
    this.calls = new ToolCalls(colony, agents, records, settings);
    this.resources = new ColonyResources(blackboards, agents, pages, settings);
  }

  /**
   * Answers one message.
   *
   * @throws IllegalArgumentException on one line, if it is no message of the protocol
   */
  public McpAnswer answer(McpCaller caller, String message) {
    return switch (read(message)) {
      case JSONRPCRequest request -> answer(caller, request);
      case JSONRPCNotification notification -> {
        if (notification.method().equals(CANCELLED)) {
          cancel(caller, ProtocolJson.tree(notification.params()));
        }
        yield new McpAnswer.Taken();
      }
      // A response: this server asks its clients nothing.
      default -> new McpAnswer.Taken();
    };
  }

  private static JSONRPCMessage read(String message) {
    try {
      if (!ProtocolJson.INSTANCE.readValue(message, JsonNode.class).isObject()) {
        throw new IllegalArgumentException("a message is an object");
      }
      JSONRPCMessage read = McpSchema.deserializeJsonRpcMessage(ProtocolJson.INSTANCE, message);
      if (read instanceof JSONRPCRequest request && !named(request)) {
        throw new IllegalArgumentException("the id of a request is a text or a whole number");
      }
      return read;
    } catch (IOException | IllegalArgumentException malformed) {
      throw new IllegalArgumentException(
          "the body is no message of JSON-RPC 2.0: one request, notification or response",
          malformed);
    }
  }

  /** The id that a request of the protocol has; null where there is none. */
  public static JsonNode id(String request) {
    try {
      return ProtocolJson.INSTANCE.readValue(request, JsonNode.class).path("id");
    } catch (IOException malformed) {
      return NullNode.getInstance();
    }
  }

  private static boolean named(JSONRPCRequest request) {
    JsonNode id = ProtocolJson.tree(request.id());
    return id.isTextual() || id.isIntegralNumber();
  }

  private McpAnswer answer(McpCaller caller, JSONRPCRequest request) {
    try {
      return switch (request.method()) {
        case McpSchema.METHOD_INITIALIZE ->
            new McpAnswer.Response(
                JSONRPCResponse.result(
                    request.id(), initialized(caller, params(request, InitializeRequest.class))),
                Optional.of(UUID.randomUUID().toString()));
        case McpSchema.METHOD_PING -> response(request, Map.of());
        case McpSchema.METHOD_TOOLS_LIST -> response(request, tools.list(caller, cursor(request)));
        case McpSchema.METHOD_TOOLS_CALL ->
            calls.call(caller, request.id(), params(request, CallToolRequest.class));
        case McpSchema.METHOD_RESOURCES_LIST ->
            response(request, resources.list(caller, cursor(request)));
        case McpSchema.METHOD_RESOURCES_TEMPLATES_LIST ->
            response(request, resources.templates(caller));
        case McpSchema.METHOD_RESOURCES_READ ->
            response(
                request, resources.read(caller, params(request, ReadResourceRequest.class).uri()));
        default -> error(request, ErrorCodes.METHOD_NOT_FOUND, "there is no " + request.method());
      };
    } catch (McpError refused) {
      return new McpAnswer.Response(
          JSONRPCResponse.error(request.id(), refused.getJsonRpcError()), Optional.empty());
    } catch (IllegalArgumentException wrong) {
      return error(request, ErrorCodes.INVALID_PARAMS, wrong.getMessage());
    } catch (RuntimeException failure) {
      return error(request, ErrorCodes.INTERNAL_ERROR, words(failure));
    }
  }

  private static String words(RuntimeException failure) {
    Throwable cause =
        failure instanceof CompletionException stage && stage.getCause() != null
            ? stage.getCause()
            : failure;
    Problem problem = Problem.of(cause);
    if (problem.code().equals(Problem.INTERNAL)) {
      LOG.error("a request of the protocol failed by a fault of ours", cause);
    }
    return problem.detail();
  }

  private static InitializeResult initialized(McpCaller caller, InitializeRequest request) {
    return new InitializeResult(
        VERSIONS.contains(request.protocolVersion())
            ? request.protocolVersion()
            : VERSIONS.getLast(),
        ServerCapabilities.builder().tools(false).resources(false, false).build(),
        Implementation.builder("colony", version()).build(),
        INSTRUCTIONS.formatted(caller.colony(), caller.tenant()),
        null);
  }

  private static String version() {
    return Optional.ofNullable(McpServer.class.getPackage().getImplementationVersion())
        .orElse("0.1.0");
  }

  private void cancel(McpCaller caller, JsonNode params) {
    String reason = params.path("reason").asText();
    records.cancel(
        caller,
        params.path("requestId"),
        caller
            .principal()
            .signed(Optional.of(reason.isEmpty() ? "the MCP client cancelled it" : reason)));
  }

  private static Optional<String> cursor(JSONRPCRequest request) {
    return Optional.ofNullable(ProtocolJson.tree(request.params()).path("cursor").textValue());
  }

  private static <T> T params(JSONRPCRequest request, Class<T> type) {
    if (request.params() == null) {
      throw new IllegalArgumentException(request.method() + " needs params");
    }
    try {
      return ProtocolJson.INSTANCE.convertValue(request.params(), type);
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(
          "the params are not those of " + request.method(), malformed);
    }
  }

  private static McpAnswer response(JSONRPCRequest request, Object result) {
    return new McpAnswer.Response(JSONRPCResponse.result(request.id(), result), Optional.empty());
  }

  private static McpAnswer error(JSONRPCRequest request, int code, String words) {
    return new McpAnswer.Response(
        JSONRPCResponse.error(request.id(), new JSONRPCResponse.JSONRPCError(code, words)),
        Optional.empty());
  }
}
