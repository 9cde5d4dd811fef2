package dev.colony.library.capability;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** How a value is written for a reader. */
public enum OutputFormat {
  /** JSON, indented. */
  JSON("application/json") {
    @Override
    public String write(JsonNode value) {
      return value.toPrettyString();
    }
  },
  /** One line for each element or field, as {@code name: value}. */
  TEXT("text/plain") {
    @Override
    public String write(JsonNode value) {
      return lines(value, "", ": ");
    }
  },
  /** A bulleted list, one element or field a line. */
  MARKDOWN_LIST("text/markdown") {
    @Override
    public String write(JsonNode value) {
      return lines(value, "- ", ": ");
    }
  },
  /** A table with a row for each element and a column for each field that any of them has. */
  MARKDOWN_TABLE("text/markdown") {
    @Override
    public String write(JsonNode value) {
      List<String> columns = columns(value);
      List<String> lines = new ArrayList<>();
      lines.add(markdownRow(columns));
      lines.add(markdownRow(columns.stream().map(name -> "---").toList()));
      value.forEach(row -> lines.add(markdownRow(cells(row, columns))));
      return String.join("\n", lines);
    }
  },
  /** The same as comma-separated values. Source: RFC 4180. */
  CSV("text/csv") {
    @Override
    public String write(JsonNode value) {
      List<String> columns = columns(value);
      List<String> lines = new ArrayList<>();
      lines.add(csvRow(columns));
      value.forEach(row -> lines.add(csvRow(cells(row, columns))));
      return String.join("\r\n", lines) + "\r\n";
    }
  };

  private final String mediaType;

  OutputFormat(String mediaType) {
    this.mediaType = mediaType;
  }

  /** What the text is, as in {@code text/csv}. */
  public String mediaType() {
    return mediaType;
  }

  /**
   * The value as text.
   *
   * @throws IllegalArgumentException if a table is wanted of what is no list of objects
   */
  public abstract String write(JsonNode value);

  private static String lines(JsonNode value, String bullet, String between) {
    if (value.isObject()) {
      return value.properties().stream()
          .map(field -> bullet + field.getKey() + between + cell(field.getValue()))
          .collect(Collectors.joining("\n"));
    }
    if (value.isArray()) {
      List<String> lines = new ArrayList<>();
      value.forEach(element -> lines.add(bullet + element(element)));
      return String.join("\n", lines);
    }
    return bullet + cell(value);
  }

  private static String element(JsonNode element) {
    return element.isObject()
        ? element.properties().stream()
            .map((Map.Entry<String, JsonNode> field) ->
                field.getKey() + ": " + cell(field.getValue()))
            .collect(Collectors.joining(", "))
        : cell(element);
  }

  private static List<String> columns(JsonNode value) {
    Set<String> columns = new LinkedHashSet<>();
    if (value.isArray()) {
      for (JsonNode row : value) {
        if (!row.isObject()) {
          throw new IllegalArgumentException("a table's rows are objects, but one is " + row);
        }
        row.fieldNames().forEachRemaining(columns::add);
      }
    }
    if (columns.isEmpty()) {
      throw new IllegalArgumentException("a table is made of a list of objects with fields");
    }
    return List.copyOf(columns);
  }

  private static List<String> cells(JsonNode row, List<String> columns) {
    return columns.stream().map(name -> cell(row.path(name))).toList();
  }

  private static String cell(JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return "";
    }
    return value.isTextual() ? value.textValue() : value.toString();
  }

  private static String markdownRow(List<String> cells) {
    return cells.stream()
        .map(cell -> cell.replace("\\", "\\\\").replace("|", "\\|").replaceAll("\\R", "<br>"))
        .collect(Collectors.joining(" | ", "| ", " |"));
  }

  private static String csvRow(List<String> cells) {
    return cells.stream()
        .map(cell ->
            cell.matches("(?s).*[\",\\r\\n].*") ? '"' + cell.replace("\"", "\"\"") + '"' : cell)
        .collect(Collectors.joining(","));
  }
}
