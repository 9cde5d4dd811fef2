package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.value.Text;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Something that a reader wants to see besides its page.
 *
 * @param tool one of {@code grep}, {@code read}, {@code definition}, {@code usages}, {@code
 *     history}
 * @param of a pattern, a path or a symbol, as the tool has it
 * @param firstLine to read; 0 for the tool's default
 * @param lastLine to read; 0 for the tool's default
 */
record Look(String tool, String of, int firstLine, int lastLine) {

  private static final String GROUP = "source.";
  private static final int MATCHES = 20;
  private static final int AROUND_MATCH = 2;
  private static final String CUT = "\n[cut]";

  Look {
    tool = tool == null ? "" : tool.toLowerCase(Locale.ROOT);
    of = of == null ? "" : of;
  }

  /** Of the action that does it. */
  String key() {
    return GROUP + tool;
  }

  /** The parameters of that action. */
  ObjectNode params(String map) {
    ObjectNode params = JsonNodeFactory.instance.objectNode().put("map", map);
    switch (tool) {
      case "grep" -> params.put("pattern", of).put("limit", MATCHES).put("context", AROUND_MATCH);
      case "read" -> {
        params.put("file", of);
        if (firstLine > 0) {
          params.put("firstLine", firstLine);
        }
        if (lastLine >= Math.max(1, firstLine)) {
          params.put("lastLine", lastLine);
        }
      }
      case "usages" -> params.put("symbol", of).put("limit", MATCHES);
      case "history" -> params.put(of.matches(".*[/.].*") ? "file" : "symbol", of);
      default -> params.put("symbol", of);
    }
    return params;
  }

  /** As it is told to the model. */
  String title() {
    String lines = tool.equals("read") && firstLine > 0 ? " " + firstLine + "-" + lastLine : "";
    return tool + " " + of + lines;
  }

  /** A result as a model reads it: spans as parts of pages stand there, anything else as JSON. */
  static String shown(JsonNode result, int mostChars) {
    StringBuilder text = new StringBuilder();
    JsonNode spans = result.path("spans");
    if (spans.isArray()) {
      for (JsonNode span : spans) {
        int number = span.path("firstLine").asInt();
        text.append(
            PageParts.text(
                span.path("file").asText(),
                number,
                span.path("lastLine").asInt(),
                List.of(span.path("text").asText().split("\n", -1))));
      }
      int left = result.path("leftOut").asInt();
      text.append(spans.isEmpty() ? "nothing fits\n" : "");
      text.append(left > 0 ? left + " more are not shown\n" : "");
      String note = result.path("note").asText("");
      text.append(note.isEmpty() ? "" : note + "\n");
    } else {
      text.append(result).append('\n');
    }
    return text.length() <= mostChars
        ? text.toString()
        : Text.head(text.toString(), mostChars) + CUT + "\n";
  }

  /** The pages that a result is from, in their order. */
  static Set<String> pages(JsonNode result) {
    Set<String> pages = new LinkedHashSet<>();
    result.path("spans").forEach(span -> pages.add(span.path("page").asText("")));
    pages.remove("");
    return pages;
  }
}
