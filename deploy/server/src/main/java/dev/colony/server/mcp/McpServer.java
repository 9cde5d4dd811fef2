package dev.colony.server.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.TraceParent;
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
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse.JSONRPCError;
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
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** Answers the messages of the protocol. Thread-safe; blocks, but not for a run. */
public final class McpServer {

  /** Revisions of the protocol that it speaks, the newest first. */
  private static final List<String> VERSIONS =
      List.of(
          StatelessRevision.VERSION,
          ProtocolVersions.MCP_2025_11_25,
          ProtocolVersions.MCP_2025_06_18,
          ProtocolVersions.MCP_2025_03_26);

  private static final List<String> WITH_SESSIONS = VERSIONS.subList(1, VERSIONS.size());

  /** Tools, resources and agents of one page of a list. */
  static final int PAGE = 100;

  /**
   * Bytes of what one call of a tool or one resource gives; of a larger one only its size is told.
   */
  static final int OUTPUT = 256 * 1024;

  /** How long a call of a tool waits for its run; after that it says that the run goes on. */
  static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

  static final Implementation SERVER = Implementation.builder("colony", version()).build();
  private static final String CANCELLED = "notifications/cancelled";
  private static final String INSTRUCTIONS =
      "The colony %s of %s. Each ask_NAME tool asks one agent; run_agent asks any. Runs may take"
          + " long: a call that says that its run goes on is looked after with run_status.";

  private final AgentTools tools;
  private final ToolCalls calls;
  private final ColonyResources resources;
  private final CallRecords records;
  private final Subscriptions subscriptions;

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
    this.subscriptions = new Subscriptions(blackboards);
  }

  /**
   * Answers one message: a request of the revision without sessions by that, all else by those with
   * sessions.
   *
   * @param header what the transport says of it beside it, by names in lower case
   * @throws IllegalArgumentException on one line, if it is no message of the protocol
   */
  public McpAnswer answer(
      McpCaller caller, Function<String, Optional<String>> header, String message) {
    JSONRPCMessage read = read(message);
    if (read instanceof JSONRPCRequest request && StatelessRevision.speaks(request, header)) {
      return stateless(caller.stateless(header.apply("idempotency-key")), header, request);
    }
    header
        .apply(StatelessRevision.VERSION_HEADER)
        .filter(version -> !VERSIONS.contains(version))
        .ifPresent(version -> {
          throw new IllegalArgumentException(
              "%s is none of the protocol's revisions %s".formatted(version, VERSIONS));
        });
    return switch (read) {
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

  private McpAnswer stateless(
      McpCaller caller, Function<String, Optional<String>> header, JSONRPCRequest request) {
    McpAnswer answer =
        StatelessRevision.wrong(request, header, VERSIONS)
            .map(wrong -> refused(request, wrong))
            .orElseGet(() -> answer(caller, request));
    return switch (answer) {
      case McpAnswer.Response given ->
          new McpAnswer.Response(
              (JSONRPCResponse) StatelessRevision.form(request.method(), given.response()),
              Optional.empty(),
              Optional.ofNullable(given.response().error())
                  .map(JSONRPCError::code)
                  .filter(code -> code != ErrorCodes.INTERNAL_ERROR));
      case McpAnswer.Messages running ->
          new McpAnswer.Messages(
              running.messages().map(one -> StatelessRevision.form(request.method(), one)),
              request.id(),
              running.abandoned());
      case McpAnswer.Taken taken -> taken;
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

  private static boolean named(JSONRPCRequest request) {
    JsonNode id = ProtocolJson.tree(request.id());
    return id.isTextual() || id.isIntegralNumber();
  }

  private McpAnswer answer(McpCaller caller, JSONRPCRequest request) {
    try {
      boolean era = StatelessRevision.KNOWN.getOrDefault(request.method(), caller.stateless());
      return switch (era == caller.stateless() ? request.method() : "") {
        case McpSchema.METHOD_INITIALIZE ->
            new McpAnswer.Response(
                JSONRPCResponse.result(
                    request.id(), initialized(caller, params(request, InitializeRequest.class))),
                Optional.of(UUID.randomUUID().toString()),
                Optional.empty());
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
        case StatelessRevision.DISCOVER -> response(request, discovered(caller));
        case StatelessRevision.LISTEN -> subscriptions.listen(caller, request);
        default -> error(request, ErrorCodes.METHOD_NOT_FOUND, "there is no " + request.method());
      };
    } catch (McpError refused) {
      return refused(request, refused.getJsonRpcError());
    } catch (IllegalArgumentException wrong) {
      return error(request, ErrorCodes.INVALID_PARAMS, wrong.getMessage());
    } catch (RuntimeException failure) {
      return error(request, ErrorCodes.INTERNAL_ERROR, ToolCalls.words(failure));
    }
  }

  private static InitializeResult initialized(McpCaller caller, InitializeRequest request) {
    return new InitializeResult(
        WITH_SESSIONS.contains(request.protocolVersion())
            ? request.protocolVersion()
            : WITH_SESSIONS.getFirst(),
        ServerCapabilities.builder().tools(false).resources(false, false).build(),
        SERVER,
        instructions(caller),
        null);
  }

  private static Map<String, Object> discovered(McpCaller caller) {
    return Map.of(
        "supportedVersions",
        VERSIONS,
        "capabilities",
        ServerCapabilities.builder().tools(false).resources(true, false).build(),
        "instructions",
        instructions(caller));
  }

  private static String instructions(McpCaller caller) {
    return INSTRUCTIONS.formatted(caller.colony(), caller.tenant());
  }

  private static String version() {
    return Optional.ofNullable(McpServer.class.getPackage().getImplementationVersion())
        .orElse("0.1.0");
  }

  private void cancel(McpCaller caller, JsonNode params) {
    String reason = params.path("reason").asText();
    caller.acting().accept(CANCELLED);
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
    return McpAnswer.Response.of(JSONRPCResponse.result(request.id(), result));
  }

  private static McpAnswer error(JSONRPCRequest request, int code, String words) {
    return refused(request, new JSONRPCError(code, words));
  }

  private static McpAnswer refused(JSONRPCRequest request, JSONRPCError error) {
    return McpAnswer.Response.of(JSONRPCResponse.error(request.id(), error));
  }

  public sealed interface McpAnswer {

    /**
     * A response.
     *
     * @param session the name of the session that begins with it
     * @param code of its error, where the transport tells that by its own means, too
     */
    record Response(JSONRPCResponse response, Optional<String> session, Optional<Integer> code)
        implements McpAnswer {

      static Response of(JSONRPCResponse response) {
        return new Response(response, Optional.empty(), Optional.empty());
      }
    }

    /** The message wanted no response. */
    record Taken() implements McpAnswer {}

    /**
     * Notifications and then the response, which is the last.
     *
     * @param id of the request
     * @param abandoned ends what goes on without its client; blocks
     */
    record Messages(Source<JSONRPCMessage, NotUsed> messages, Object id, Runnable abandoned)
        implements McpAnswer {}
  }

  /**
   * Who sends a message, and to which colony.
   *
   * @param principal who that is
   * @param acting is told which tool is called, or what else is done, that changes something
   * @param stateless whether the client speaks the revision without sessions, and cancels a call by
   *     closing its stream
   * @param named the session, as the client was told at its beginning; where it has none, the key
   *     of the call. Empty for a client that names none: its request made again is another run
   */
  public record McpCaller(
      Principal principal,
      Consumer<String> acting,
      String tenant,
      String colony,
      boolean stateless,
      Optional<String> named,
      Optional<TraceParent> traceparent) {

    public McpCaller {
      Scope.colony(tenant, colony);
    }

    McpCaller stateless(Optional<String> key) {
      return new McpCaller(principal, acting, tenant, colony, true, key, traceparent);
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
     * Names a call for as long as its session lives, on every node; no other principal and no other
     * session has the same name for one of its own.
     *
     * @param id of the request
     */
    Optional<String> call(JsonNode id) {
      return named.map(own -> {
        String call = stateless ? "key " + own : own + "\n" + id;
        String place = String.join("\n", principal.writer(), tenant, colony, call);
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
