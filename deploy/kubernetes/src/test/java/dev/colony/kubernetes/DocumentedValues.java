package dev.colony.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is said of the chart's values, by their paths with dots. */
final class DocumentedValues {

  private static final Pattern KEY = Pattern.compile("^( *)([A-Za-z]+):.*");

  /** A key and how far it is indented. */
  private record Place(int indent, String path) {}

  private DocumentedValues() {}

  /**
   * The meanings in {@code values.yaml}: what stands as a comment right above a key is about it and
   * all within it.
   */
  static Map<String, String> ofDefaults() {
    String yaml = ChartFolder.read(ChartFolder.DEFAULTS);
    JsonNode standards = StrictYaml.documents(yaml).getFirst();
    Map<String, String> meanings = new LinkedHashMap<>();
    Deque<Place> within = new ArrayDeque<>();
    List<String> comment = new ArrayList<>();
    String explained = "\0";
    for (String line : yaml.lines().toList()) {
      Matcher key = KEY.matcher(line);
      if (line.strip().startsWith("#")) {
        comment.add(line.strip().substring(1).strip());
        continue;
      }
      if (key.matches()) {
        int indent = key.group(1).length();
        while (!within.isEmpty() && within.peek().indent >= indent) {
          within.pop();
        }
        String path = within.isEmpty() ? key.group(2) : within.peek().path + "." + key.group(2);
        within.push(new Place(indent, path));
        if (!comment.isEmpty()) {
          meanings.put(path, String.join(" ", comment));
          explained = path;
        } else if (standards.at("/" + path.replace('.', '/')).isValueNode()
            && !path.startsWith(explained + ".")) {
          throw new AssertionError("values.yaml does not say what " + path + " is");
        }
      }
      comment.clear();
    }
    return meanings;
  }

  /** The meanings in the chart's schema, by path; sections have none. */
  static Map<String, String> ofSchema() {
    Map<String, String> meanings = new LinkedHashMap<>();
    JsonNode schema =
        StrictYaml.documents(ChartFolder.read(ChartFolder.CHART.resolve("values.schema.json")))
            .getFirst();
    collect("", schema, meanings);
    meanings.remove("global");
    return meanings;
  }

  private static void collect(String path, JsonNode schema, Map<String, String> meanings) {
    if (schema.has("description")) {
      meanings.put(path, schema.get("description").asText());
      return;
    }
    schema
        .path("properties")
        .properties()
        .forEach(property ->
            collect(
                path.isEmpty() ? property.getKey() : path + "." + property.getKey(),
                property.getValue(),
                meanings));
  }
}
