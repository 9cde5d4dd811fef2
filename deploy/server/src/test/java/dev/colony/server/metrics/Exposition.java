package dev.colony.server.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What stands in a text that Prometheus would read. */
record Exposition(Map<String, Family> families, Map<String, Double> samples) {

  private static final Pattern HELP = Pattern.compile("# HELP (\\S+) (.*)");
  private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
  private static final Pattern SAMPLE = Pattern.compile("([a-z0-9_]+)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");
  private static final Set<String> PARTS = Set.of("le", "quantile");

  /** The longest and the latest of what a histogram counts is part of it. */
  private static final String MOST = "_max";

  /**
   * Samples under one name.
   *
   * @param help as it stands there, with what is escaped; empty without any
   */
  record Family(String type, Set<String> labels, String help) {}

  static Exposition of(String text) {
    Map<String, Family> families = new TreeMap<>();
    Map<String, Double> samples = new HashMap<>();
    Map<String, String> helps = new HashMap<>();
    for (String line : text.lines().toList()) {
      Matcher help = HELP.matcher(line);
      Matcher type = TYPE.matcher(line);
      Matcher sample = SAMPLE.matcher(line);
      if (help.matches()) {
        helps.put(help.group(1), help.group(2));
      } else if (type.matches()) {
        families.put(
            type.group(1),
            new Family(type.group(2), new TreeSet<>(), helps.getOrDefault(type.group(1), "")));
      } else if (sample.matches()) {
        String labels = sample.group(2) == null ? "" : "{" + sample.group(2) + "}";
        samples.put(sample.group(1) + labels, Double.parseDouble(sample.group(3)));
        Matcher label = LABEL.matcher(labels);
        while (label.find()) {
          if (!PARTS.contains(label.group(1))) {
            family(families, sample.group(1)).labels().add(label.group(1));
          }
        }
      }
    }
    families
        .keySet()
        .removeIf(name ->
            name.endsWith(MOST)
                && families.containsKey(name.substring(0, name.length() - MOST.length())));
    return new Exposition(families, samples);
  }

  private static Family family(Map<String, Family> families, String sample) {
    return families.getOrDefault(
        sample, families.get(sample.replaceFirst("_(bucket|count|sum)$", "")));
  }

  /** The value of a sample, by its name and its labels as they stand there. */
  double value(String sample) {
    Double value = samples.get(sample);
    if (value == null) {
      throw new AssertionError("no sample " + sample + " among " + samples.keySet());
    }
    return value;
  }

  /** The sum over all labels. */
  double sum(String name) {
    return samples.entrySet().stream()
        .filter(sample -> sample.getKey().split("\\{")[0].equals(name))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }
}
