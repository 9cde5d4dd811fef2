package dev.colony.inference;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A tool that the model wants to have called.
 *
 * @param id by which the result names the call; made up by the server, or by the gateway where a
 *     server gives none
 * @param arguments an object that satisfies the tool's schema
 */
public record ToolCall(String id, String name, JsonNode arguments) {}
