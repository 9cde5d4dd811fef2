package dev.colony.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.client.wire.Problem;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.http.ApiResponse.ServerEvent;
import dev.colony.server.http.Endpoint.Handlers;
import dev.colony.server.http.Endpoint.PathTemplate;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.ErrorForm;
import dev.colony.server.http.Problems.Refusal;
import dev.colony.server.mcp.McpServer;
import dev.colony.server.mcp.McpServer.McpAnswer;
import dev.colony.server.mcp.McpServer.McpCaller;
import dev.colony.server.mcp.McpServer.McpServerSettings;
import io.modelcontextprotocol.spec.HttpHeaders;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The streamable HTTP transport of the Model Context Protocol, a server for each colony. It has no
 * stream of its own beside those that answer a request, and a session is no more than a name, which
 * clients of the revision 2026-07-28 do without.
 *
 * @param origins of web pages that may call, beside those of this machine
 */
record McpEndpoints(McpServer server, List<String> origins) {

  static final String OPERATION = "mcp";
  static final String PATH = "/v1/tenants/{tenant}/colonies/{colony}/mcp";

  /** The last segment of the path. */
  private static final String NAME = "mcp";

  private static final PathTemplate TEMPLATE = new PathTemplate(PATH);

  private static final Pattern SESSION = Pattern.compile("[\\x21-\\x7e]{1,128}");
  private static final Pattern LOCAL =
      Pattern.compile("https?://(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");

  static McpEndpoints of(ApiSources sources, McpServerSettings settings) {
    return new McpEndpoints(
        new McpServer(
            sources.colony(),
            sources.blackboards(),
            sources.agents(),
            sources.groupPages(),
            sources.explorer()),
        settings.origins());
  }

  /**
   * Whether a path is this one, or what a client may take for it.
   *
   * @param segments decoded, none of them empty
   */
  static boolean of(List<String> segments) {
    return TEMPLATE.match(segments).isPresent()
        || segments.equals(List.of(NAME))
        || segments.equals(List.of("v1", NAME));
  }

  void addTo(Handlers handlers) {
    handlers.on(OPERATION, this::answer);
  }

  private ApiResponse answer(Call call) {
    checkOrigin(call);
    McpCaller caller =
        new McpCaller(
            call.principal(),
            what -> call.acting().accept(OPERATION + " " + what),
            call.path("tenant"),
            call.path("colony"),
            false,
            session(call),
            call.traceparent());
    return switch (answered(caller, call)) {
      case McpAnswer.Taken taken -> new ApiResponse.Stored();
      case McpAnswer.Response response ->
          new ApiResponse.Json(
              response
                  .code()
                  .map(code -> code == ErrorCodes.METHOD_NOT_FOUND ? 404 : 400)
                  .orElse(200),
              ProtocolJson.tree(response.response()),
              response
                  .session()
                  .map(name -> Map.of(HttpHeaders.MCP_SESSION_ID, name))
                  .orElse(Map.of()));
      case McpAnswer.Messages messages -> {
        if (!call.header("accept").orElse("").contains("text/event-stream")) {
          throw Refusal.of(
              Code.BAD_REQUEST,
              "the header Accept must name application/json and text/event-stream");
        }
        yield new ApiResponse.Events<>(
            Optional.empty(),
            messages.messages(),
            McpEndpoints::event,
            false,
            failed(messages.id()),
            messages.abandoned());
      }
    };
  }

  private McpAnswer answered(McpCaller caller, Call call) {
    try {
      return server.answer(caller, call::header, call.body());
    } catch (IllegalArgumentException wrong) {
      throw Refusal.of(
          wrong.getCause() instanceof IOException ? Code.MALFORMED : Code.BAD_REQUEST,
          wrong.getMessage());
    }
  }

  /** The last event of a call whose stream fails: the response that its client waits for. */
  private static Function<Problem, ServerEvent> failed(Object id) {
    return problem -> {
      ObjectNode response = ErrorForm.jsonRpc(problem);
      response.set("id", ProtocolJson.tree(id));
      return new ServerEvent("", ServerEvent.MESSAGE, response);
    };
  }

  private static ServerEvent event(JSONRPCMessage message) {
    return new ServerEvent("", ServerEvent.MESSAGE, ProtocolJson.tree(message));
  }

  /** A page of a browser is let in by its origin only, whatever key it has (DNS rebinding). */
  private void checkOrigin(Call call) {
    call.header("origin")
        .filter(origin -> !LOCAL.matcher(origin.toLowerCase(Locale.ROOT)).matches())
        .filter(origin -> !origins.contains(origin))
        .ifPresent(origin -> {
          throw Refusal.of(
              Code.FORBIDDEN,
              "pages of %s may not call: colony.mcp.server.origins".formatted(origin));
        });
  }

  private static Optional<String> session(Call call) {
    Optional<String> session = call.header("mcp-session-id");
    session
        .filter(name -> !SESSION.matcher(name).matches())
        .ifPresent(name -> {
          throw new IllegalArgumentException("the header Mcp-Session-Id is none of this server's");
        });
    return session;
  }
}
