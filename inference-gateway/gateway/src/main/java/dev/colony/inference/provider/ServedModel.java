package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * A model that a server lists.
 *
 * @param id by which it is asked for
 * @param contextTokens how many tokens prompt and reply may have together; empty where the server
 *     does not say
 * @param owner what the server says of who serves it; empty if nothing
 * @param takesEvictionHints whether the server says that it takes {@code POST /colony/evict}
 */
public record ServedModel(
    String id, OptionalLong contextTokens, String owner, boolean takesEvictionHints) {

  /** One of which nothing but its name is known. */
  static ServedModel named(String id) {
    return new ServedModel(id, OptionalLong.empty(), "", false);
  }

  /** Where servers say it: vLLM, OpenRouter and LiteLLM, Mistral, LM Studio. */
  private static final List<String> CONTEXT =
      List.of("max_model_len", "context_length", "max_context_length", "context_window");

  /** What the names of models have that give no text but numbers. */
  private static final List<String> EMBEDDINGS =
      List.of("embed", "bge-", "e5-", "gte-", "rerank", "colbert", "minilm");

  /** What the names of others have that answer no prompts. */
  private static final List<String> OTHER =
      List.of("whisper", "tts", "dall-e", "moderation", "transcribe", "image");

  static ServedModel of(JsonNode model) {
    OptionalLong context =
        CONTEXT.stream()
            .map(model::path)
            .filter(JsonNode::isIntegralNumber)
            .mapToLong(JsonNode::longValue)
            .filter(tokens -> tokens > 0)
            .findFirst();
    return new ServedModel(
            model.path("id").textValue(),
            context,
            model.path("owned_by").asText(""),
            model.path("colony_evict").asBoolean(false))
        .context(model.path("meta").path("n_ctx"));
  }

  /** With a context that its server tells elsewhere, where its list of models does not. */
  ServedModel context(JsonNode tokens) {
    return contextTokens.isPresent() || tokens.asLong(0) <= 0
        ? this
        : new ServedModel(id, OptionalLong.of(tokens.asLong()), owner, takesEvictionHints);
  }

  /** Whether it answers prompts, as far as its name says. */
  public boolean chats() {
    String name = id.toLowerCase(Locale.ROOT);
    return !embeds(id) && OTHER.stream().noneMatch(name::contains);
  }

  /** Whether a model embeds or ranks texts, as far as its name says. */
  static boolean embeds(String model) {
    String name = model.toLowerCase(Locale.ROOT);
    return EMBEDDINGS.stream().anyMatch(name::contains);
  }
}
