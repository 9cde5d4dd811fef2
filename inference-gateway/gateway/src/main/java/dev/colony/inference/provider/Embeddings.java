package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * {@code POST embeddings} at one server: OpenAI's, which vLLM, llama.cpp, Ollama and TEI serve too.
 *
 * @param request its extra fields are the body but for the model
 */
record Embeddings(ModelServer server, InferenceRequest request) {

  /** Of the numbers of 2048 texts, 1024 of each. */
  private static final int MOST_BYTES = 32 << 20;

  /** By most that serve none, and by llama.cpp. */
  private static final Pattern NONE = Pattern.compile(" answered (404|405|501)\\b");

  JsonNode ask(Duration timeout) throws CallFailure, InterruptedException {
    ObjectNode body = JsonNodeFactory.instance.objectNode().put("model", model(timeout));
    request.extraFields().forEach(body::set);
    try {
      JsonNode reply = server.answer("embeddings", body, request.callId(), MOST_BYTES, timeout);
      if (!reply.path("data").isArray()) {
        throw CallFailure.bad("gives no embeddings").at(server.base());
      }
      return reply;
    } catch (CallFailure failure) {
      throw NONE.matcher(failure.getMessage()).find()
          ? new CallFailure(Kind.REFUSED, server.base() + " embeds no texts", failure)
          : failure;
    }
  }

  /** The one that is set, else the first listed that embeds by its name, else the first. */
  private String model(Duration timeout) throws CallFailure, InterruptedException {
    if (server.settings().model().isPresent()) {
      return server.settings().model().get();
    }
    List<String> listed = server.models(timeout).stream().map(ServedModel::id).toList();
    return listed.stream().filter(ServedModel::embeds).findFirst().orElse(listed.getFirst());
  }
}
