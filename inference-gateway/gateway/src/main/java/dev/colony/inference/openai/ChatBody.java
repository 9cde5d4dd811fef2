package dev.colony.inference.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/**
 * The request of a call in its canonical layout: the preamble as system message, a user message for
 * each page, the suffix as the last user message. The same pages always give the same bytes up to
 * the suffix, which is what prefix caches live on.
 */
final class ChatBody {

  private static final ObjectMapper JSON = new ObjectMapper();

  private ChatBody() {}

  static ObjectNode of(InferenceRequest request, String model) {
    ObjectNode root = JSON.createObjectNode().put("model", model);
    root.putArray("messages");
    if (!request.preamble().isEmpty()) {
      add(root, "system", request.preamble());
    }
    request.pages().forEach(page -> add(root, "user", page.text()));
    add(root, "user", request.suffix());
    root.put("max_tokens", request.maxTokens()).put("temperature", 0).put("stream", false);
    request
        .responseSchema()
        .ifPresent(schema -> {
          ObjectNode format = root.putObject("response_format").put("type", "json_schema");
          format
              .putObject("json_schema")
              .put("name", "reply")
              .put("strict", true)
              .set("schema", schema);
        });
    return root;
  }

  /** Asks again, showing the reply and what is wrong with it. */
  static ObjectNode repair(ObjectNode body, String reply, String errors) {
    ObjectNode repair = body.deepCopy();
    add(repair, "assistant", reply);
    add(
        repair,
        "user",
        "This reply does not satisfy the schema: "
            + errors
            + "\nReply again, with nothing but the corrected JSON.");
    return repair;
  }

  static byte[] bytes(ObjectNode body) {
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree is always writable", e);
    }
  }

  /** Ids of the pages, in the order of their messages, percent-encoded where a header needs it. */
  static String pagesHeader(InferenceRequest request) {
    return request.pages().stream()
        .map(PromptPage::id)
        .map(id -> URLEncoder.encode(id, StandardCharsets.UTF_8))
        .collect(Collectors.joining(","));
  }

  private static void add(ObjectNode body, String role, String content) {
    ((ArrayNode) body.get("messages")).addObject().put("role", role).put("content", content);
  }
}
