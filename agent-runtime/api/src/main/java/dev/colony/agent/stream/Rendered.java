package dev.colony.agent.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.value.Text;
import java.util.Map;
import java.util.TreeMap;

/** Content as text in a prompt. Equal content gives equal text, whatever order its fields have. */
public final class Rendered {

  private static final String CUT = "...";

  private Rendered() {}

  /** JSON on one line, its fields in the order of their names; a text as itself. */
  public static String value(JsonNode node) {
    return node.isTextual() ? node.textValue() : sorted(node).toString();
  }

  /** The text of a message: itself, or its field {@code message} or {@code text}. */
  public static String message(JsonNode node) {
    for (String name : new String[] {"message", "text"}) {
      if (node.path(name).isTextual()) {
        return node.get(name).textValue();
      }
    }
    return node.isMissingNode() || node.isNull() ? "" : value(node);
  }

  /**
   * A text within a list or a thread: every line after the first is indented and empty lines are
   * left out, so that what an author wrote does not read like an entry or a section of its own.
   */
  public static String entry(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", "\n  ");
  }

  /** On one line, and if it is longer than {@code most} characters, cut and marked so. */
  public static String truncated(String text, int most) {
    String line = text.strip().replaceAll("\\s*\\R\\s*", " ");
    if (line.length() <= most) {
      return line;
    }
    return Text.head(line, most - CUT.length()) + CUT;
  }

  private static JsonNode sorted(JsonNode node) {
    if (node.isObject()) {
      Map<String, JsonNode> fields = new TreeMap<>();
      node.properties().forEach(field -> fields.put(field.getKey(), sorted(field.getValue())));
      ObjectNode copy = JsonNodeFactory.instance.objectNode();
      fields.forEach(copy::set);
      return copy;
    }
    if (node.isArray()) {
      ArrayNode copy = JsonNodeFactory.instance.arrayNode();
      node.forEach(element -> copy.add(sorted(element)));
      return copy;
    }
    return node;
  }
}
