package dev.colony.blackboard;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A request in an inbox bucket.
 *
 * @param id names it within its bucket, for the acknowledgement
 * @param scope where the entry was written
 * @param key the entry's key
 */
public record InboxMessage(String id, String recipient, Scope scope, String key, JsonNode value) {}
