package dev.colony.inference.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.Usage;
import java.net.URI;
import java.util.OptionalLong;

/**
 * The parts of a chat completion that count.
 *
 * @param cachedTokens empty where the server does not report them
 * @param truncated whether the reply was cut at its token limit
 */
record ChatReply(String text, Usage usage, OptionalLong cachedTokens, boolean truncated) {

  /** Reads a completion strictly: what is missing or of the wrong type is a bad reply. */
  static ChatReply parse(URI uri, JsonNode root) throws CallFailure {
    JsonNode choice = root.path("choices").path(0);
    JsonNode message = choice.path("message");
    if (!message.isObject()) {
      throw bad(uri, "answered no chat completion: choices[0].message is missing");
    }
    if (message.path("refusal").isTextual()) {
      String refusal = HttpExchanges.oneLine(message.path("refusal").textValue());
      throw bad(uri, "answered that the model refuses: " + refusal);
    }
    JsonNode content = message.path("content");
    if (!content.isTextual()) {
      throw bad(uri, "answered no text: choices[0].message.content is " + content.getNodeType());
    }
    JsonNode usage = root.path("usage");
    JsonNode cached = usage.path("prompt_tokens_details").path("cached_tokens");
    return new ChatReply(
        content.textValue(),
        new Usage(
            count(uri, usage, "prompt_tokens"),
            Math.max(0, cached.asLong(0)),
            count(uri, usage, "completion_tokens")),
        cached.isIntegralNumber() ? OptionalLong.of(cached.longValue()) : OptionalLong.empty(),
        choice.path("finish_reason").asText("").equals("length"));
  }

  /** A server may leave the usage out, but what it counts must be counts. */
  private static long count(URI uri, JsonNode usage, String name) throws CallFailure {
    JsonNode value = usage.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return 0;
    }
    if (!value.isIntegralNumber() || value.longValue() < 0) {
      throw bad(uri, "answered usage." + name + " = " + value);
    }
    return value.longValue();
  }

  private static CallFailure bad(URI uri, String what) {
    return new CallFailure(Kind.BAD_REPLY, uri + " " + what, null);
  }
}
