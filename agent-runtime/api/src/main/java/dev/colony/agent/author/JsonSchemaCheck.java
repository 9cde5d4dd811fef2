package dev.colony.agent.author;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonNodePath;
import com.networknt.schema.ValidationMessage;
import dev.colony.blackboard.value.CompiledSchema;
import dev.colony.blackboard.value.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Holds values against a JSON schema (draft 2020-12) and says in plain lines what is wrong, for a
 * planner that is to mend it. Formats are held too. A schema may refer to itself where that leads
 * deeper into the value; nothing is ever fetched. Thread-safe; make it once per schema.
 */
public final class JsonSchemaCheck {

  /** Lines that one value is answered with at most; the rest is counted. */
  public static final int MAX_LINES = 10;

  /** Arrays and objects within each other, at most. */
  public static final int MAX_DEPTH = 64;

  private final CompiledSchema schema;

  private JsonSchemaCheck(CompiledSchema schema) {
    this.schema = schema;
  }

  /**
   * The check against a schema.
   *
   * @throws IllegalArgumentException on one line, if {@link CompiledSchema#of} refuses the schema
   */
  public static JsonSchemaCheck of(JsonNode schema) {
    try {
      return new JsonSchemaCheck(CompiledSchema.of(schema, true));
    } catch (IllegalArgumentException refused) {
      throw new IllegalArgumentException(
          "this is no JSON schema: " + refused.getMessage(), refused);
    }
  }

  /**
   * Something in a value that its schema refuses.
   *
   * @param where the value that is refused; of a field that is missing or that there may not be,
   *     the object
   * @param field the name of that field; empty otherwise
   * @param why one line, without the place
   */
  public record Violation(JsonPointer where, Optional<String> field, String why) {}

  /** The same as {@link #violations} has, each with its place, and all of them. */
  public List<Violation> located(JsonNode value) {
    if (deeper(value, MAX_DEPTH)) {
      return List.of(new Violation(JsonPointer.empty(), Optional.empty(), tooDeep()));
    }
    try {
      return schema.validate(value).stream()
          .map(wrong ->
              new Violation(
                  pointer(wrong.getInstanceLocation()),
                  Optional.ofNullable(wrong.getProperty()),
                  Text.message(wrong.getError())))
          .distinct()
          .toList();
    } catch (IllegalArgumentException deep) {
      return List.of(new Violation(JsonPointer.empty(), Optional.empty(), deep.getMessage()));
    }
  }

  private static JsonPointer pointer(JsonNodePath path) {
    JsonPointer pointer = JsonPointer.empty();
    for (int i = 0; i < path.getNameCount(); i++) {
      pointer =
          path.getElement(i) instanceof Integer index
              ? pointer.appendIndex(index)
              : pointer.appendProperty(path.getName(i));
    }
    return pointer;
  }

  private static String tooDeep() {
    return "it is nested deeper than " + MAX_DEPTH + " levels";
  }

  /** What is wrong, one line each, in a stable order; empty if nothing is. */
  public List<String> violations(JsonNode value) {
    if (deeper(value, MAX_DEPTH)) {
      return List.of(tooDeep());
    }
    List<String> lines;
    try {
      lines =
          schema.validate(value).stream().map(JsonSchemaCheck::line).distinct().sorted().toList();
    } catch (IllegalArgumentException deep) {
      return List.of(deep.getMessage());
    }
    if (lines.size() <= MAX_LINES) {
      return lines;
    }
    List<String> shown = new ArrayList<>(lines.subList(0, MAX_LINES));
    shown.add("and " + (lines.size() - MAX_LINES) + " more");
    return List.copyOf(shown);
  }

  private static String line(ValidationMessage wrong) {
    String message = wrong.getMessage();
    return Text.message(message.startsWith("$: ") ? message.substring(3) : message);
  }

  private static boolean deeper(JsonNode value, int levels) {
    if (!value.isContainerNode()) {
      return false;
    }
    if (levels == 0) {
      return true;
    }
    for (JsonNode inner : value) {
      if (deeper(inner, levels - 1)) {
        return true;
      }
    }
    return false;
  }
}
