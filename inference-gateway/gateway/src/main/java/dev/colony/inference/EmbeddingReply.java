package dev.colony.inference;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What became of texts that were embedded.
 *
 * @param data as the server gave it: an object of each text, in any order, with its {@code index}
 *     and its {@code embedding}, which is a list of numbers, or their bytes in base64
 * @param model by the server's name
 */
public record EmbeddingReply(JsonNode data, Usage usage, String model) {}
