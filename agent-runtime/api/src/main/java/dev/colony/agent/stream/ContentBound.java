package dev.colony.agent.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.value.Text;
import java.nio.charset.StandardCharsets;

/**
 * Makes JSON small enough to be journaled with every step: texts are cut, what does not fit after
 * that is left out, and the shape stays. What fits is not touched.
 */
public final class ContentBound {

  private static final String CUT = "...";

  /** Quotes, a comma or colon, and the mark of a cut. */
  private static final int OVERHEAD = 8;

  private int left;

  private ContentBound(int left) {
    this.left = left;
  }

  /**
   * The same content in at most so many bytes of JSON text.
   *
   * @param bytes at least 64
   */
  public static JsonNode within(JsonNode content, int bytes) {
    // A character is at most six bytes of JSON, an escape; few contents need the exact count.
    if (content.isTextual() && content.textValue().length() * 6L + 2 <= bytes
        || size(content) <= bytes) {
      return content;
    }
    return new ContentBound(bytes - OVERHEAD).copy(content);
  }

  private JsonNode copy(JsonNode node) {
    if (node.isObject()) {
      left -= 2;
      ObjectNode copy = JsonNodeFactory.instance.objectNode();
      for (var field : node.properties()) {
        int name = size(TextNode.valueOf(field.getKey())) + OVERHEAD;
        if (left < name) {
          break;
        }
        left -= name;
        copy.set(field.getKey(), copy(field.getValue()));
      }
      return copy;
    }
    if (node.isArray()) {
      left -= 2;
      ArrayNode copy = JsonNodeFactory.instance.arrayNode();
      for (JsonNode element : node) {
        if (left < OVERHEAD) {
          break;
        }
        left -= 1;
        copy.add(copy(element));
      }
      return copy;
    }
    return leaf(node);
  }

  private JsonNode leaf(JsonNode node) {
    int size = size(node);
    if (size <= left) {
      left -= size;
      return node;
    }
    JsonNode cut = TextNode.valueOf(node.isTextual() ? head(node.textValue()) : CUT);
    left -= size(cut);
    return cut;
  }

  /** As much of a text's beginning as there is room for, and the mark. */
  private String head(String text) {
    int room = left - OVERHEAD;
    int end = 0;
    while (end < text.length()) {
      int c = text.codePointAt(end);
      room -= size(TextNode.valueOf(Character.toString(c))) - 2;
      if (room < 0) {
        break;
      }
      end += Character.charCount(c);
    }
    return Text.head(text, end) + CUT;
  }

  private static int size(JsonNode node) {
    return node.toString().getBytes(StandardCharsets.UTF_8).length;
  }
}
