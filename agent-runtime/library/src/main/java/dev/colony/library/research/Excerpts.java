package dev.colony.library.research;

import dev.colony.library.policy.PromptFit;
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
  private static final int LINES_STEP = 4;

  private Excerpts() {}

  /**
   * With their context. Where that is too much, without it, then with fewer lines of each passage,
   * then without the last passages; numbers stay as they are.
   *
   * @param pages that they are on; of one that is missing the passage is shown alone
   * @param less how many tokens fewer than all of it; 0 for all of it
   */
  static String of(List<Evidence> passages, Collection<VirtualContextPage> pages, long less) {
    String text = of(passages, pages, CONTEXT_LINES, MOST_LINES);
    long room = PromptFit.tokens(text) - less;
    for (int lines = MOST_LINES; lines > 0 && PromptFit.tokens(text) > room; lines /= LINES_STEP) {
      text = of(passages, List.of(), 0, lines);
    }
    for (int some = passages.size() - 1; some > 0 && PromptFit.tokens(text) > room; some--) {
      text = of(passages.subList(0, some), List.of(), 0, 1);
    }
    return text;
  }

  private static String of(
      List<Evidence> passages,
      Collection<VirtualContextPage> pages,
      int contextLines,
      int mostLines) {
    Map<String, TreeMap<Integer, String>> lines = lines(pages);
    Map<String, Set<Integer>> shown = new HashMap<>();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < passages.size(); i++) {
      Evidence one = passages.get(i);
      text.append('[').append(i + 1).append("] ").append(one.place()).append(":\n");
      TreeMap<Integer, String> file = lines.getOrDefault(one.file(), new TreeMap<>());
      Set<Integer> before = shown.computeIfAbsent(one.file(), path -> new HashSet<>());
      int around = text.length() < MOST_CHARS ? contextLines : 0;
      context(file, one.firstLine() - around, one.firstLine() - 1, before, text);
      int number = one.firstLine();
      for (String line : lines(one, mostLines)) {
        before.add(number);
        append("> ", number++, line, text);
      }
      context(file, one.lastLine() + 1, one.lastLine() + around, before, text);
    }
    return text.toString();
  }

  /** Those of a whole passage are all shown, the last of them with the rest. */
  private static List<String> lines(Evidence one, int most) {
    return most == MOST_LINES
        ? List.of(one.text().split("\n", most))
        : one.text().lines().limit(most).toList();
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
