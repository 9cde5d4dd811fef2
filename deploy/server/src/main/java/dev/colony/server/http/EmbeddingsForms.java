package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.inference.CallContext;
import dev.colony.inference.EmbeddingReply;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Sampling;
import dev.colony.server.http.CompletionCall.Extension;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * A request of {@code POST /v1/embeddings}, and what it is answered. Immutable.
 *
 * @param model as the caller calls it
 * @param entries how many texts are embedded
 * @param counted stands for their tokens
 * @param base64 whether the caller wants the bytes of the numbers, as OpenAI's Python client does
 * @param fields what the model server is sent, but for the model
 */
record EmbeddingsForms(
    String model,
    int entries,
    String counted,
    boolean base64,
    Map<String, JsonNode> fields,
    Extension colony) {

  /** As OpenAI has it. */
  private static final int MOST_ENTRIES = 2048;

  private static final String FORMAT = "encoding_format";

  static EmbeddingsForms parse(JsonNode body) {
    RequestFields request = new RequestFields(body, "");
    final String model = request.required("model");
    JsonNode input = request.any("input").orElseThrow(() -> request.missing("input"));
    List<JsonNode> entries = entries(input);
    StringBuilder counted = new StringBuilder();
    for (JsonNode entry : entries) {
      counted.append(entry.isTextual() ? entry.textValue() : "0000".repeat(entry.size()));
    }
    String format = request.text(FORMAT).orElse("float");
    if (!List.of("float", "base64").contains(format)) {
      throw OpenAiError.invalid(FORMAT, FORMAT + " must be float or base64");
    }
    request.integer("dimensions", 1, Integer.MAX_VALUE);
    request.text("user");
    Extension colony = Extension.of(request, 0);
    Map<String, JsonNode> fields = new LinkedHashMap<>(request.rest());
    for (String known : List.of("input", "dimensions", "user")) {
      request.any(known).ifPresent(value -> fields.put(known, value));
    }
    return new EmbeddingsForms(
        model, entries.size(), counted.toString(), format.equals("base64"), fields, colony);
  }

  /** A text, a list of texts, the tokens of a text, or a list of those of texts. */
  private static List<JsonNode> entries(JsonNode input) {
    boolean one = input.isTextual() || tokens(input);
    List<JsonNode> all = new ArrayList<>();
    (one ? List.of(input) : input).forEach(all::add);
    Predicate<JsonNode> kind =
        !all.isEmpty() && all.getFirst().isTextual()
            ? entry -> entry.isTextual() && !entry.textValue().isEmpty()
            : EmbeddingsForms::tokens;
    if (all.isEmpty() || !all.stream().allMatch(kind)) {
      throw OpenAiError.invalid(
          "input", "input must be a text, a list of texts or of tokens, none of them empty");
    }
    if (all.size() > MOST_ENTRIES) {
      throw OpenAiError.invalid(
          "input", "input has %d texts, and may have %d".formatted(all.size(), MOST_ENTRIES));
    }
    return all;
  }

  private static boolean tokens(JsonNode list) {
    return list.isArray()
        && !list.isEmpty()
        && list.valueStream().allMatch(one -> one.canConvertToInt() && one.intValue() >= 0);
  }

  InferenceRequest request(String id, ModelChoice choice, CallContext context) {
    return new InferenceRequest(
        id,
        choice,
        Prompt.of("", List.of(), counted),
        ReplyForm.text(1),
        Sampling.GREEDY,
        context.session(colony.session().or(context::session)).priority(colony.priority()),
        fields);
  }

  JsonNode whole(EmbeddingReply reply) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("object", "list");
    ArrayNode data = json.putArray("data");
    if (reply.data().size() != entries) {
      throw bad("gives %d embeddings of %d texts".formatted(reply.data().size(), entries));
    }
    int at = 0;
    for (JsonNode one : reply.data()) {
      ObjectNode shown = data.addObject().put("object", "embedding");
      shown.put("index", one.path("index").asInt(at++)).set("embedding", numbers(one));
    }
    json.put("model", reply.model().isEmpty() ? model : reply.model());
    json.putObject("usage")
        .put("prompt_tokens", reply.usage().promptTokens())
        .put("total_tokens", reply.usage().promptTokens());
    return json;
  }

  /** Servers give one form or the other, whatever they are asked for. */
  private JsonNode numbers(JsonNode one) {
    JsonNode given = one.path("embedding");
    boolean list =
        given.isArray() && !given.isEmpty() && given.valueStream().allMatch(JsonNode::isNumber);
    if (!list && !given.isTextual()) {
      throw bad("gives an embedding that is neither a list of numbers nor base64");
    }
    if (list != base64) {
      return given;
    }
    return list ? encoded(given) : decoded(given);
  }

  private static JsonNode encoded(JsonNode numbers) {
    ByteBuffer bytes =
        ByteBuffer.allocate(numbers.size() * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    numbers.forEach(number -> bytes.putFloat(number.floatValue()));
    return TextNode.valueOf(Base64.getEncoder().encodeToString(bytes.array()));
  }

  private static JsonNode decoded(JsonNode text) {
    try {
      ArrayNode numbers = JsonNodeFactory.instance.arrayNode();
      FloatBuffer bytes =
          ByteBuffer.wrap(Base64.getDecoder().decode(text.textValue()))
              .order(ByteOrder.LITTLE_ENDIAN)
              .asFloatBuffer();
      while (bytes.hasRemaining()) {
        numbers.add(bytes.get());
      }
      return numbers;
    } catch (IllegalArgumentException wrong) {
      throw bad("gives an embedding that is no base64");
    }
  }

  private static InferenceException bad(String what) {
    return new InferenceException(
        InferenceException.Kind.BAD_REPLY, "the model server " + what, null);
  }
}
