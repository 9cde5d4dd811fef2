package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * Something that a running agent made known.
 *
 * @param name what happened, as the capability that emitted it calls it
 */
public record RunProgress(RunId runId, String name, JsonNode data, Instant at) {}
