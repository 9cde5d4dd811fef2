package dev.colony.blackboard;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One value on the blackboard.
 *
 * @param key relative to its scope
 * @param version 1 for the first write of a key, one more for each write after it
 * @param expiresAt when the entry ceases to be visible; empty means never
 */
public record Entry(
    String key,
    JsonNode value,
    long version,
    Instant createdAt,
    String createdBy,
    Instant updatedAt,
    String updatedBy,
    Set<String> tags,
    Map<String, String> metadata,
    Optional<Instant> expiresAt) {}
