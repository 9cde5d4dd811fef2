package dev.colony.server.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.NamingConvention;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What each metric is: the lists that {@code docs/reference/metrics.md} shows and that a node takes
 * the HELP of its metrics from.
 *
 * @param rows by the name that Prometheus sees
 */
record MetricsTable(Map<String, Row> rows) {

  static final String TEXT = read();

  /** What the registry puts behind a meter's name later: of most none, of counters, of times. */
  private static final List<String> ENDS = List.of("", "_total", "_seconds");

  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^- `([a-z0-9_]+)`(\\*)? (\\w+)((?:, `[a-z_]+`)*): (.+?)\\.(?: Worry: .*)?$");
  private static final Pattern NAME = Pattern.compile("`([a-z_]+)`");
  private static final Pattern LINK = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

  /**
   * One metric.
   *
   * @param help one line without marks of Markdown
   * @param always false where some JVMs do not have it
   */
  record Row(String type, Set<String> labels, String help, boolean always) {}

  static MetricsTable shipped() {
    Map<String, Row> rows = new TreeMap<>();
    ROW.matcher(TEXT)
        .results()
        .forEach(row ->
            rows.put(
                row.group(1),
                new Row(
                    row.group(3),
                    labels(row.group(4)),
                    LINK.matcher(row.group(5)).replaceAll("$1").replace("`", ""),
                    row.group(2) == null)));
    return new MetricsTable(rows);
  }

  private static Set<String> labels(String cell) {
    Set<String> labels = new TreeSet<>();
    Matcher name = NAME.matcher(cell);
    while (name.find()) {
      labels.add(name.group(1));
    }
    return labels;
  }

  /** Gives each meter the HELP of its row; one without a row stays as it is. */
  MeterFilter help(NamingConvention names) {
    return new MeterFilter() {
      @Override
      public Meter.Id map(Meter.Id id) {
        String name = id.getConventionName(names);
        return ENDS.stream()
            .map(end -> rows.get(name + end))
            .filter(Objects::nonNull)
            .findFirst()
            .map(row -> described(id, row.help()))
            .orElse(id);
      }
    };
  }

  private static Meter.Id described(Meter.Id id, String help) {
    return new Meter.Id(id.getName(), Tags.of(id.getTags()), id.getBaseUnit(), help, id.getType());
  }

  private static String read() {
    try (InputStream in = MetricsTable.class.getResourceAsStream("metrics.md")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
