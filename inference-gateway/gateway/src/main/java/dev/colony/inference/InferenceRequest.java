package dev.colony.inference;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One model call. The prompt is laid out as preamble, pages, suffix, so that calls over the same
 * pages share their prefix.
 *
 * @param callId names the call in logs and replies, and is its idempotency key
 * @param preamble the system message; keep it constant, every page's cached prefix hangs on it
 * @param pages in the order in which they stand in the prompt
 * @param suffix the user message after the pages
 * @param responseSchema JSON schema that the reply must satisfy; empty for free text
 * @param maxTokens bound on the reply
 * @param deadline from submission to reply, all attempts included
 */
public record InferenceRequest(
    String callId,
    String preamble,
    List<PromptPage> pages,
    String suffix,
    Optional<JsonNode> responseSchema,
    int maxTokens,
    Duration deadline) {

  public InferenceRequest {
    pages = List.copyOf(pages);
  }
}
