package dev.colony.server.mcp;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.Optional;
import java.util.concurrent.Flow;

/** What a message is answered. */
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
  record Messages(Flow.Publisher<JSONRPCMessage> messages) implements McpAnswer {}
}
