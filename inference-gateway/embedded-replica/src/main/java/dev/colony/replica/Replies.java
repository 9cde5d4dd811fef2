package dev.colony.replica;

import static dev.colony.replica.Exchanges.JSON;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.Generation.Kind;
import dev.colony.replica.Generation.Piece;
import java.util.Optional;
import java.util.UUID;

/** The reply objects of one chat completion, whole and in chunks, as vLLM writes them. */
final class Replies {

  private final String id = "chatcmpl-" + UUID.randomUUID().toString().replace("-", "");
  private final String callId = "chatcmpl-tool-" + UUID.randomUUID().toString().replace("-", "");
  private final long created;

  /** Tokens of a call, as it is told of them. */
  record Used(int promptTokens, int cachedTokens, int completionTokens) {

    ObjectNode json() {
      ObjectNode node =
          JSON.createObjectNode()
              .put("prompt_tokens", promptTokens)
              .put("total_tokens", promptTokens + completionTokens)
              .put("completion_tokens", completionTokens);
      node.putObject("prompt_tokens_details").put("cached_tokens", cachedTokens);
      return node;
    }
  }

  /**
   * @param created seconds since the epoch
   */
  Replies(long created) {
    this.created = created;
  }

  ObjectNode whole(Generation generation, Used used) {
    StringBuilder text = new StringBuilder();
    StringBuilder arguments = new StringBuilder();
    Optional<String> called = Optional.empty();
    for (Piece piece : generation.pieces()) {
      switch (piece.kind()) {
        case TEXT -> text.append(piece.text());
        case CALLED -> called = Optional.of(piece.text());
        case ARGUMENTS -> arguments.append(piece.text());
      }
    }
    ObjectNode root = root("chat.completion");
    ObjectNode choice = choice(root);
    ObjectNode message = choice.putObject("message").put("role", "assistant");
    if (called.isPresent() && text.isEmpty()) {
      message.putNull("content");
    } else {
      message.put("content", text.toString());
    }
    message.putNull("refusal");
    ArrayNode calls = message.putArray("tool_calls");
    called.ifPresent(name ->
        calls
            .addObject()
            .put("id", callId)
            .put("type", "function")
            .putObject("function")
            .put("name", name)
            .put("arguments", arguments.toString()));
    message.putNull("reasoning_content");
    finish(choice, generation);
    root.set("usage", used.json());
    return root;
  }

  /** The first chunk says who speaks. */
  ObjectNode role() {
    ObjectNode root = root("chat.completion.chunk");
    ObjectNode choice = choice(root);
    choice.putObject("delta").put("role", "assistant").put("content", "");
    choice.putNull("finish_reason");
    return root;
  }

  ObjectNode piece(Piece piece) {
    ObjectNode root = root("chat.completion.chunk");
    ObjectNode choice = choice(root);
    ObjectNode delta = choice.putObject("delta");
    if (piece.kind() == Kind.TEXT) {
      delta.put("content", piece.text());
    } else {
      ObjectNode call = delta.putArray("tool_calls").addObject().put("index", 0);
      if (piece.kind() == Kind.CALLED) {
        call.put("id", callId).put("type", "function");
        call.putObject("function").put("name", piece.text()).put("arguments", "");
      } else {
        call.putObject("function").put("arguments", piece.text());
      }
    }
    choice.putNull("finish_reason");
    return root;
  }

  /** The last chunk of the choice says why it ends. */
  ObjectNode last(Generation generation) {
    ObjectNode root = root("chat.completion.chunk");
    ObjectNode choice = choice(root);
    choice.putObject("delta");
    finish(choice, generation);
    return root;
  }

  ObjectNode usage(Used used) {
    ObjectNode root = root("chat.completion.chunk");
    root.putArray("choices");
    root.set("usage", used.json());
    return root;
  }

  private ObjectNode root(String object) {
    return JSON.createObjectNode()
        .put("id", id)
        .put("object", object)
        .put("created", created)
        .put("model", EmbeddedReplica.MODEL);
  }

  private static ObjectNode choice(ObjectNode root) {
    return root.putArray("choices").addObject().put("index", 0).putNull("logprobs");
  }

  private static void finish(ObjectNode choice, Generation generation) {
    choice
        .put("finish_reason", generation.finish())
        .put("stop_reason", generation.stopped().orElse(null));
  }
}
