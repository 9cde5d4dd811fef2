package dev.colony.server.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.mcp.ProtocolJson;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse.JSONRPCError;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The protocol's revision 2026-07-28, in which each request says itself which revision it speaks,
 * and nothing is agreed on before: what it asks of requests and answers beside what the revisions
 * with sessions do. Pure.
 *
 * <p>No request needs anything of a client, so that {@code MissingRequiredClientCapability} is
 * never answered.
 */
final class StatelessRevision {

  static final String VERSION = "2026-07-28";
  static final String VERSION_HEADER = "mcp-protocol-version";
  static final String DISCOVER = "server/discover";
  static final String LISTEN = "subscriptions/listen";

  private static final String META = "io.modelcontextprotocol/";
  private static final String REVISION = META + "protocolVersion";
  private static final String CAPABILITIES = META + "clientCapabilities";
  private static final String SERVER = META + "serverInfo";
  static final String SUBSCRIPTION = META + "subscriptionId";

  private static final int HEADER_MISMATCH = -32020;
  private static final int UNSUPPORTED_VERSION = -32022;

  /** Methods that not all revisions have, and whether this one has them. */
  static final Map<String, Boolean> KNOWN =
      Map.of(DISCOVER, true, LISTEN, true, "initialize", false, "ping", false);

  /** The parameter that the header Mcp-Name repeats. */
  private static final Map<String, String> NAMED =
      Map.of(
          McpSchema.METHOD_TOOLS_CALL, "name",
          McpSchema.METHOD_PROMPT_GET, "name",
          McpSchema.METHOD_RESOURCES_READ, "uri");

  private static final Pattern ENCODED = Pattern.compile("=\\?base64\\?(.*)\\?=");

  private StatelessRevision() {}

  /** Whether a request is one of such a revision, be it this one or one that is not known. */
  static boolean speaks(JSONRPCRequest request, Function<String, Optional<String>> header) {
    return meta(request).has(REVISION)
        || header.apply(VERSION_HEADER).filter(VERSION::equals).isPresent();
  }

  /** Why a request of such a revision is refused before it is looked at, if it is. */
  static Optional<JSONRPCError> wrong(
      JSONRPCRequest request, Function<String, Optional<String>> header, List<String> served) {
    JsonNode meta = meta(request);
    if (!meta.path(REVISION).isTextual() || !meta.path(CAPABILITIES).isObject()) {
      return Optional.of(
          new JSONRPCError(
              ErrorCodes.INVALID_PARAMS,
              "params._meta must have a text %s and an object %s"
                  .formatted(REVISION, CAPABILITIES)));
    }
    String revision = meta.path(REVISION).asText();
    Map<String, String> meant = new LinkedHashMap<>();
    meant.put(VERSION_HEADER, revision);
    meant.put("mcp-method", request.method());
    named(request).ifPresent(name -> meant.put("mcp-name", name));
    for (Map.Entry<String, String> one : meant.entrySet()) {
      Optional<String> said = header.apply(one.getKey()).map(StatelessRevision::decoded);
      if (said.filter(one.getValue()::equals).isEmpty()) {
        return Optional.of(
            new JSONRPCError(
                HEADER_MISMATCH,
                "the header %s is %s, but the body says %s"
                    .formatted(one.getKey(), said.orElse("missing"), one.getValue())));
      }
    }
    return revision.equals(VERSION)
        ? Optional.empty()
        : Optional.of(
            new JSONRPCError(
                UNSUPPORTED_VERSION,
                "the revision %s is not served without a session".formatted(revision),
                Map.of("supported", served, "requested", revision)));
  }

  private static JsonNode meta(JSONRPCRequest request) {
    return ProtocolJson.tree(request.params()).path("_meta");
  }

  private static Optional<String> named(JSONRPCRequest request) {
    return Optional.ofNullable(NAMED.get(request.method()))
        .map(field -> ProtocolJson.tree(request.params()).path(field).textValue());
  }

  /** A value that is no plain text for a header is written in Base64, between marks. */
  private static String decoded(String value) {
    Matcher marked = ENCODED.matcher(value);
    try {
      return marked.matches()
          ? new String(Base64.getDecoder().decode(marked.group(1)), StandardCharsets.UTF_8)
          : value;
    } catch (IllegalArgumentException malformed) {
      return value;
    }
  }

  /** A response in its form; all else as it is. */
  static JSONRPCMessage form(String method, JSONRPCMessage message) {
    if (!(message instanceof JSONRPCResponse response) || response.error() != null) {
      return message;
    }
    ObjectNode result = (ObjectNode) ProtocolJson.tree(response.result());
    result.put("resultType", "complete");
    result.withObject("/_meta").set(SERVER, ProtocolJson.tree(McpServer.SERVER));
    // Any of them may change at any time, and depends on the key.
    if (method.endsWith("/list")
        || method.equals(McpSchema.METHOD_RESOURCES_READ)
        || method.equals(DISCOVER)) {
      result.put("ttlMs", 0).put("cacheScope", "private");
    }
    return JSONRPCResponse.result(response.id(), result);
  }
}
