package dev.colony.library.page;

import dev.colony.library.page.Spans.Span;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Trees of files for tests. */
final class Trees {

  private Trees() {}

  /** A tree of whole files, a page each. */
  static SourceTree of(Map<String, String> files) {
    List<VirtualContextPage> pages = new ArrayList<>();
    new TreeMap<>(files).forEach((path, text) -> pages.add(page(pages.size(), path, 1, text)));
    return SourceTree.of(pages);
  }

  /** A page of some lines of a file. */
  static VirtualContextPage page(int number, String path, int firstLine, String text) {
    int last = firstLine + (int) text.lines().count() - 1;
    return new VirtualContextPage(
        id(number),
        "=== %s (lines %d-%d)\n%s\n"
            .formatted(path, firstLine, last, String.join("\n", text.lines().toList())),
        1,
        List.of(new PageSegment(path, firstLine, last)));
  }

  static PageId id(int number) {
    return new PageId(
        ("" + (char) ('a' + number / 26 % 26) + (char) ('a' + number % 26)).repeat(13));
  }

  static List<String> places(List<Span> spans) {
    return spans.stream().map(Span::place).toList();
  }
}
