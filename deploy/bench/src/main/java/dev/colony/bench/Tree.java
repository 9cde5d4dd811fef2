package dev.colony.bench;

import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files of a tree with their lines, as they were mapped. Immutable. */
final class Tree {

  private static final Pattern PLACE = Pattern.compile("(.+):(\\d{1,9})(?:-(\\d{1,9}))?");

  private final Map<String, List<String>> files = new TreeMap<>();

  Tree(Collection<VirtualContextPage> pages) {
    Map<String, TreeMap<Integer, List<String>>> parts = new TreeMap<>();
    for (VirtualContextPage page : pages) {
      for (PageText.SegmentLines one : PageText.segments(page)) {
        parts
            .computeIfAbsent(one.segment().file(), file -> new TreeMap<>())
            .put(one.segment().firstLine(), one.lines());
      }
    }
    parts.forEach((file, segments) -> {
      List<String> lines = new ArrayList<>();
      segments.values().forEach(lines::addAll);
      files.put(file, List.copyOf(lines));
    });
  }

  /** By their paths. */
  Map<String, List<String>> files() {
    return files;
  }

  /**
   * The lines at a place.
   *
   * @param place as in {@code src/Main.java:12} or {@code src/Main.java:12-15}
   * @throws IllegalArgumentException if the tree has none there
   */
  Found at(String place) {
    Matcher parts = PLACE.matcher(place);
    if (!parts.matches()) {
      throw new IllegalArgumentException("a place is FILE:LINE or FILE:FIRST-LAST, not: " + place);
    }
    String file = parts.group(1);
    int first = Integer.parseInt(parts.group(2));
    int last = parts.group(3) == null ? first : Integer.parseInt(parts.group(3));
    List<String> lines = files.getOrDefault(file, List.of());
    if (first < 1 || last < first || last > lines.size()) {
      throw new IllegalArgumentException("the tree has no line " + place);
    }
    return new Found(file, String.join("\n", lines.subList(first - 1, last)));
  }
}
