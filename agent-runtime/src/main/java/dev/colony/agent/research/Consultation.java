package dev.colony.agent.research;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What the analysts gave between them.
 *
 * @param evidence the strongest, strongest first, each place once
 */
record Consultation(List<Evidence> evidence, int analysts, List<String> unread, JsonNode stats) {}
