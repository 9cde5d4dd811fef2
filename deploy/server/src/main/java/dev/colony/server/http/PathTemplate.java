package dev.colony.server.http;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A path of which some segments are names: {@code /v1/tenants/{tenant}}.
 *
 * @param text as OpenAPI writes it
 */
record PathTemplate(String text) {

  PathTemplate {
    if (!text.matches("(/([a-z0-9.-]+|\\{[a-zA-Z]+\\}))+")) {
      throw new IllegalArgumentException("no path template: " + text);
    }
  }

  /** What the names stand for, if the path is one of these. A name is never empty. */
  Optional<Map<String, String>> match(List<String> segments) {
    List<String> own = segments();
    if (own.size() != segments.size()) {
      return Optional.empty();
    }
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < own.size(); i++) {
      String segment = segments.get(i);
      if (name(own.get(i))) {
        if (segment.isEmpty()) {
          return Optional.empty();
        }
        names.put(own.get(i).substring(1, own.get(i).length() - 1), segment);
      } else if (!own.get(i).equals(segment)) {
        return Optional.empty();
      }
    }
    return Optional.of(names);
  }

  boolean names(String parameter) {
    return segments().contains("{" + parameter + "}");
  }

  /** How many segments stand there as they are: of two that match, the one with more is meant. */
  long fixed() {
    return segments().stream().filter(segment -> !name(segment)).count();
  }

  private List<String> segments() {
    return List.of(text.substring(1).split("/"));
  }

  private static boolean name(String segment) {
    return segment.startsWith("{");
  }
}
