package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * What a bench found is one object of JSON, whose fields are named for people too. For them a
 * figure is a line, an object its lines below its name, and objects in a row are a table.
 */
public final class Report {

  private Report() {}

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** To three digits after the point. */
  public static double rounded(double figure) {
    return Math.round(figure * 1000) / 1000.0;
  }

  /** Whole from 100 on, else with two digits after the point. */
  public static String text(double figure) {
    return String.format(Locale.ROOT, Math.abs(figure) >= 100 ? "%,.0f" : "%.2f", figure);
  }

  /** The lines of a report, without a line break at the end. */
  public static String text(ObjectNode report) {
    List<String> lines = new ArrayList<>();
    add(report, "", lines);
    return String.join("\n", lines);
  }

  private static void add(ObjectNode object, String indent, List<String> lines) {
    object
        .properties()
        .forEach(field -> {
          String name = indent + words(field.getKey());
          JsonNode value = field.getValue();
          if (value instanceof ObjectNode part) {
            lines.add(name);
            add(part, indent + "  ", lines);
          } else if (value instanceof ArrayNode rows && rows.path(0).isObject()) {
            lines.add(name);
            table(rows, indent + "  ", lines);
          } else {
            lines.add(String.format(Locale.ROOT, "%-34s %s", name, cell(value)));
          }
        });
  }

  private static void table(ArrayNode rows, String indent, List<String> lines) {
    if (StreamSupport.stream(rows.spliterator(), false)
        .anyMatch(row -> row.valueStream().anyMatch(JsonNode::isContainerNode))) {
      for (int i = 0; i < rows.size(); i++) {
        lines.add(indent + (i + 1));
        add((ObjectNode) rows.get(i), indent + "  ", lines);
      }
      return;
    }
    Set<String> names = new LinkedHashSet<>();
    rows.forEach(row -> row.fieldNames().forEachRemaining(names::add));
    List<List<String>> cells = new ArrayList<>();
    cells.add(names.stream().map(Report::words).toList());
    rows.forEach(row -> cells.add(names.stream().map(name -> cell(row.path(name))).toList()));
    for (List<String> row : cells) {
      StringBuilder line = new StringBuilder(indent);
      for (int column = 0; column < row.size(); column++) {
        int at = column;
        int width = cells.stream().mapToInt(one -> one.get(at).length()).max().orElse(1);
        line.append(("%" + (column == 0 ? "-" : "") + width + "s  ").formatted(row.get(column)));
      }
      lines.add(line.toString().stripTrailing());
    }
  }

  private static String cell(JsonNode value) {
    if (value.isIntegralNumber()) {
      return String.format(Locale.ROOT, "%,d", value.asLong());
    }
    if (value.isNumber()) {
      return text(value.asDouble());
    }
    return value.isArray()
        ? value.valueStream().map(Report::cell).collect(Collectors.joining(", "))
        : value.asText("");
  }

  /** {@code writesPerSecond} as {@code writes per second}. */
  static String words(String name) {
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
  }
}
