package dev.colony.server.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Scope;
import dev.colony.server.access.Principal;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;

/**
 * Who sends a message, and to which colony.
 *
 * @param principal whose key it is
 * @param session as the client was told at its beginning; empty for a client that names none, whose
 *     calls cannot be cancelled
 */
public record McpCaller(
    Principal principal, String tenant, String colony, Optional<String> session) {

  public McpCaller {
    Scope.colony(tenant, colony);
  }

  /** The colony's part of the blackboard. */
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
   * Names a call for as long as its session lives, on every node; no other key and no other session
   * has the same name for one of its own.
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
