package dev.colony.library.research;

import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.grouping.PageText;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Passages with the code around them, numbered from 1, as a model reads them: {@code [1]
 * src/Main.java:12-14:}, then lines, those of the passage behind {@code >}. A line of the context
 * that an earlier passage has shown is not shown again.
 */
final class Excerpts {

  /** Lines that are shown before a passage and after it. */
  static final int CONTEXT_LINES = 6;

  private static final int MOST_CHARS = 40_000;
  private static final int MOST_LINES = 60;

  private Excerpts() {}

  /** The passages alone. */
  static String of(List<Evidence> passages) {
    return of(passages, List.of());
  }

  /**
   * With their context.
   *
   * @param pages that they are on; of one that is missing the passage is shown alone
   */
  static String of(List<Evidence> passages, Collection<VirtualContextPage> pages) {
    Map<String, TreeMap<Integer, String>> lines = lines(pages);
    Map<String, Set<Integer>> shown = new HashMap<>();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < passages.size(); i++) {
      Evidence one = passages.get(i);
      text.append('[').append(i + 1).append("] ").append(one.place()).append(":\n");
      TreeMap<Integer, String> file = lines.getOrDefault(one.file(), new TreeMap<>());
      Set<Integer> before = shown.computeIfAbsent(one.file(), path -> new HashSet<>());
      int around = text.length() < MOST_CHARS ? CONTEXT_LINES : 0;
      context(file, one.firstLine() - around, one.firstLine() - 1, before, text);
      int number = one.firstLine();
      for (String line : one.text().split("\n", MOST_LINES)) {
        before.add(number);
        append("> ", number++, line, text);
      }
      context(file, one.lastLine() + 1, one.lastLine() + around, before, text);
    }
    return text.toString();
  }

  private static void context(
      TreeMap<Integer, String> file, int first, int last, Set<Integer> shown, StringBuilder text) {
    if (first <= last) {
      file.subMap(first, true, last, true)
          .forEach((number, line) -> {
            if (shown.add(number)) {
              append("  ", number, line, text);
            }
          });
    }
  }

  private static void append(String mark, int number, String line, StringBuilder text) {
    text.append(mark).append(PageText.numbered(number, line)).append('\n');
  }

  private static Map<String, TreeMap<Integer, String>> lines(Collection<VirtualContextPage> pages) {
    Map<String, TreeMap<Integer, String>> lines = new HashMap<>();
    for (VirtualContextPage page : pages) {
      for (PageText.SegmentLines segment : PageText.segments(page)) {
        TreeMap<Integer, String> file =
            lines.computeIfAbsent(segment.segment().file(), path -> new TreeMap<>());
        int number = segment.segment().firstLine();
        for (String line : segment.lines()) {
          file.put(number++, line);
        }
      }
    }
    return lines;
  }
}
