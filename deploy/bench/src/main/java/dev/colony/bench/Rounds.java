package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * The figures of a report by name, each with what its rounds found, the least first. The field
 * {@code rounds} is a row of numbers for each round; what else is a number was found once. Pure.
 */
record Rounds(Map<String, double[]> figures) {

  static final String FIELD = "rounds";

  static Rounds of(JsonNode report) {
    Map<String, double[]> figures = new LinkedHashMap<>();
    if (given(report)) {
      report.path(FIELD).forEach(row -> collect("", row, figures));
    }
    Map<String, double[]> once = new LinkedHashMap<>();
    collect("", report, once);
    once.forEach(figures::putIfAbsent);
    return new Rounds(figures);
  }

  /** Whether a report has rounds. */
  static boolean given(JsonNode report) {
    JsonNode rows = report.path(FIELD);
    return !rows.isEmpty()
        && rows.valueStream().allMatch(row -> row.valueStream().allMatch(JsonNode::isNumber));
  }

  private static void collect(String prefix, JsonNode part, Map<String, double[]> figures) {
    part.properties()
        .forEach(field -> {
          String name = prefix + field.getKey();
          JsonNode value = field.getValue();
          if (value.isNumber()) {
            figures.merge(
                name,
                new double[] {value.asDouble()},
                (before, one) ->
                    DoubleStream.concat(DoubleStream.of(before), DoubleStream.of(one))
                        .sorted()
                        .toArray());
          } else if (value.isObject()) {
            collect(name + ".", value, figures);
          } else if (value instanceof ArrayNode rows
              && !(field.getKey().equals(FIELD) && given(part))) {
            for (int row = 0; row < rows.size(); row++) {
              collect(name + "." + named(rows.get(row), row) + ".", rows.get(row), figures);
            }
          }
        });
  }

  /** By the first word in it, or else by its place. */
  private static String named(JsonNode row, int place) {
    return row.valueStream()
        .filter(JsonNode::isTextual)
        .findFirst()
        .map(JsonNode::asText)
        .orElse(Integer.toString(place + 1));
  }

  /** What half of the rounds do not exceed, of a figure that there is. */
  double median(String figure) {
    double[] sorted = figures.get(figure);
    int middle = sorted.length / 2;
    return Report.rounded(
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
  }

  private double least(String figure) {
    return figures.get(figure)[0];
  }

  private double most(String figure) {
    return figures.get(figure)[figures.get(figure).length - 1];
  }

  /**
   * A row for each figure: its median and range, beside an earlier one what has changed. What was
   * found once has a row only where it has changed.
   */
  ArrayNode table(Optional<Rounds> earlier) {
    ArrayNode rows = Report.object().arrayNode();
    for (String figure : figures.keySet()) {
      Optional<Rounds> before = earlier.filter(other -> other.figures.containsKey(figure));
      if (figures.get(figure).length > 1
          || before.filter(other -> other.median(figure) != median(figure)).isPresent()) {
        ObjectNode row = rows.addObject().put("figure", Report.words(figure));
        addTo(row, figure, "median", "least", "most");
        before.ifPresent(other -> {
          other.addTo(row, figure, "earlier", "earlierLeast", "earlierMost");
          row.put("change", change(figure, other));
        });
      }
    }
    return rows;
  }

  private void addTo(ObjectNode row, String figure, String median, String least, String most) {
    row.put(median, median(figure));
    if (figures.get(figure).length > 1) {
      row.put(least, least(figure)).put(most, most(figure));
    }
  }

  /**
   * In percent of the earlier median. It is called noise where either median lies within what the
   * other's rounds found, and of one round where a range is missing, so that no one can tell.
   */
  private String change(String figure, Rounds earlier) {
    double now = median(figure);
    double before = earlier.median(figure);
    if (now == before) {
      return "none";
    }
    String percent = before == 0 ? "" : "%+.0f %%".formatted((now / before - 1) * 100);
    if (figures.get(figure).length == 1 || earlier.figures.get(figure).length == 1) {
      return percent + " (one round)";
    }
    boolean noise =
        (now >= earlier.least(figure) && now <= earlier.most(figure))
            || (before >= least(figure) && before <= most(figure));
    return noise ? percent + " (noise)" : percent;
  }
}
