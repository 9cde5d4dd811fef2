package dev.colony.server.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.settings.Section;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.AgentsReader;
import dev.colony.server.Explorer;
import dev.colony.server.Principal;
import dev.colony.server.mcp.ToolCalls.CallRecords;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.PageStore.PageFault;
import dev.colony.vcm.PageStore.PageRefused;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.table.PageTable;
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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** Answers the messages of the protocol. Thread-safe; blocks, but not for a run. */
public final class McpServer {

  /** Revisions of the protocol that it speaks, the newest last. */
  public static final List<String> VERSIONS =
      List.of(
          ProtocolVersions.MCP_2025_03_26,
          ProtocolVersions.MCP_2025_06_18,
          ProtocolVersions.MCP_2025_11_25);

  /** Tools, resources and agents of one page of a list. */
  static final int PAGE = 100;

  /**
   * Bytes of what one call of a tool or one resource gives; of a larger one only its size is told.
   */
  static final int OUTPUT = 256 * 1024;

  /** How long a call of a tool waits for its run; after that it says that the run goes on. */
  static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

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
      Explorer explorer) {
    this.records = new CallRecords(blackboards, colony, LONGEST_WAIT);
    this.tools = new AgentTools(agents);
    this.calls = new ToolCalls(colony, agents, explorer, records);
    this.resources = new ColonyResources(blackboards, agents, pages);
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
      return error(request, ErrorCodes.INTERNAL_ERROR, ToolCalls.words(failure));
    }
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

  public sealed interface McpAnswer {

    /**
     * A response.
     *
     * @param session the name of the session that begins with it
     */
    record Response(JSONRPCResponse response, Optional<String> session) implements McpAnswer {}

    /** The message wanted no response. */
    record Taken() implements McpAnswer {}

    /** Notifications of progress and then the response, which is the last; it never fails. */
    record Messages(Source<JSONRPCMessage, NotUsed> messages) implements McpAnswer {}
  }

  /**
   * Who sends a message, and to which colony.
   *
   * @param principal whose key it is
   * @param session as the client was told at its beginning; empty for a client that names none,
   *     whose calls cannot be cancelled
   */
  public record McpCaller(
      Principal principal, String tenant, String colony, Optional<String> session) {

    public McpCaller {
      Scope.colony(tenant, colony);
    }

    Scope scope() {
      return Scope.colony(tenant, colony);
    }

    /**
     * @throws IllegalArgumentException if no agent has such a name
     */
    AgentId agent(String name) {
      return new AgentId(tenant, colony, name);
    }

    /**
     * Names a call for as long as its session lives, on every node; no other key and no other
     * session has the same name for one of its own.
     *
     * @param id of the request
     */
    Optional<String> call(JsonNode id) {
      return session.map(own -> {
        String place = String.join("\n", principal.name(), tenant, colony, own, id.toString());
        return "mcp-" + UUID.nameUUIDFromBytes(place.getBytes(StandardCharsets.UTF_8));
      });
    }
  }

  /** The pages of groups that agents are bound to. Its methods block. */
  public record GroupPages(PageTable table, PageStore store) {

    /** In the order of the group; none where the group is assigned to no placement unit. */
    List<PageId> of(PageGroupId group) {
      return table.snapshot().assignment(group).map(one -> one.pages()).orElse(List.of());
    }

    /** Empty where it is not stored, or the tenant may not read it. */
    Optional<VirtualContextPage> read(PageId page, String tenant) {
      try {
        return store.of(tenant).pages(List.of(page)).stream().findFirst();
      } catch (PageFault | PageRefused absent) {
        return Optional.empty();
      }
    }
  }

  /**
   * The settings under {@code colony.mcp.server}; reference.conf says what each means.
   *
   * @param origins of web pages that may call, beside those of this machine
   */
  @Section("colony.mcp.server")
  public record McpServerSettings(List<String> origins) {}
}
