package dev.colony.server.metrics;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of the document.
 *
 * @param required without those that some JVMs do not have, marked by an asterisk
 */
record MetricsTable(
    Map<String, Exposition.Family> described, Map<String, Exposition.Family> required) {

  private static final Pattern ROW =
      Pattern.compile("\\| `([a-z0-9_]+)`(\\*)? \\| (\\w+) \\| [^|]+ \\|([^|]*)\\|.*");
  private static final Pattern NAME = Pattern.compile("`([a-z_]+)`");

  static MetricsTable of(String document) {
    Map<String, Exposition.Family> described = new TreeMap<>();
    Map<String, Exposition.Family> required = new TreeMap<>();
    document
        .lines()
        .map(ROW::matcher)
        .filter(Matcher::matches)
        .forEach(row -> {
          Exposition.Family family = new Exposition.Family(row.group(3), labels(row.group(4)));
          described.put(row.group(1), family);
          if (row.group(2) == null) {
            required.put(row.group(1), family);
          }
        });
    return new MetricsTable(described, required);
  }

  private static Set<String> labels(String cell) {
    Set<String> labels = new TreeSet<>();
    Matcher name = NAME.matcher(cell);
    while (name.find()) {
      labels.add(name.group(1));
    }
    return labels;
  }
}
