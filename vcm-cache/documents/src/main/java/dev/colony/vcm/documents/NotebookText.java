package dev.colony.vcm.documents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;

/** The cells of a Jupyter notebook, each with the text that it put out; no pictures. */
final class NotebookText {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Lines of what a cell put out; how many more there are stands behind them. */
  private static final int MOST_OUTPUT_LINES = 50;

  private NotebookText() {}

  static String of(byte[] document) throws IOException {
    JsonNode notebook = JSON.readTree(document);
    // Before its fourth version a notebook had sheets of cells.
    JsonNode cells = notebook.path("cells");
    if (!cells.isArray()) {
      cells = notebook.at("/worksheets/0/cells");
    }
    if (!cells.isArray()) {
      throw new IOException("no notebook: it has no cells");
    }
    StringBuilder text = new StringBuilder();
    int number = 0;
    for (JsonNode cell : cells) {
      text.append("[cell ").append(++number).append(' ');
      text.append(cell.path("cell_type").asText("code")).append("]\n");
      append(text, joined(cell.has("source") ? cell.path("source") : cell.path("input")));
      for (JsonNode output : cell.path("outputs")) {
        JsonNode own = output.has("text") ? output.path("text") : output.at("/data/text~1plain");
        String put =
            output.has("ename")
                ? output.path("ename").asText() + ": " + output.path("evalue").asText()
                : joined(own);
        if (!put.isBlank()) {
          List<String> lines = put.lines().toList();
          text.append("[output]\n");
          lines.stream().limit(MOST_OUTPUT_LINES).forEach(line -> append(text, line));
          if (lines.size() > MOST_OUTPUT_LINES) {
            text.append("[%,d more lines]%n".formatted(lines.size() - MOST_OUTPUT_LINES));
          }
        }
      }
    }
    return text.toString();
  }

  private static void append(StringBuilder text, String lines) {
    text.append(lines);
    if (!lines.isEmpty() && !lines.endsWith("\n")) {
      text.append('\n');
    }
  }

  /** A text is one string, or a list of them. */
  private static String joined(JsonNode text) {
    StringBuilder all = new StringBuilder(text.isTextual() ? text.asText() : "");
    text.forEach(part -> all.append(part.asText()));
    return all.toString();
  }
}
