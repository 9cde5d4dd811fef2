package dev.colony.library.page;

import dev.colony.blackboard.value.Text;
import dev.colony.library.page.Spans.Span;
import dev.colony.vcm.PageId;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The lines of one file that are on pages of a map. Immutable; holds the text once, and four bytes
 * a line besides. Lines are spoken of by their positions in it, from 0, which are their numbers
 * less one where all of the file is on pages.
 */
final class MappedText {

  /** Lines of a file as a page has them. */
  record Part(int firstLine, List<String> lines, PageId page) {}

  /** Where a part begins: the position of its first line. */
  private record Run(int at, int firstLine, PageId page) {}

  private final String path;
  private final String text;
  private final int[] starts;
  private final List<Run> runs;

  private MappedText(String path, String text, int[] starts, List<Run> runs) {
    this.path = path;
    this.text = text;
    this.starts = starts;
    this.runs = runs;
  }

  /**
   * Of the parts of a file, in any order.
   *
   * @param parts without a line that is on two of them
   */
  static MappedText of(String path, List<Part> parts) {
    List<Part> sorted = new ArrayList<>(parts);
    sorted.sort(Comparator.comparingInt(Part::firstLine));
    int count = sorted.stream().mapToInt(part -> part.lines().size()).sum();
    int[] starts = new int[count + 1];
    StringBuilder text = new StringBuilder();
    List<Run> runs = new ArrayList<>();
    int at = 0;
    for (Part part : sorted) {
      if (part.lines().isEmpty()) {
        continue;
      }
      runs.add(new Run(at, part.firstLine(), part.page()));
      for (String line : part.lines()) {
        starts[at++] = text.length();
        text.append(line).append('\n');
      }
    }
    starts[count] = text.length();
    return new MappedText(path, text.toString(), starts, List.copyOf(runs));
  }

  String path() {
    return path;
  }

  String text() {
    return text;
  }

  int count() {
    return starts.length - 1;
  }

  /** About how much memory it takes. */
  long sizeBytes() {
    return 2L * text.length() + 4L * starts.length;
  }

  String line(int at) {
    return text.substring(starts[at], starts[at + 1] - 1);
  }

  /** All of them, cut out as they are asked for. */
  List<String> lines() {
    return new AbstractList<>() {
      @Override
      public String get(int at) {
        return line(at);
      }

      @Override
      public int size() {
        return count();
      }
    };
  }

  /** The first of the lines that stand in the file right before this one, each after the other. */
  int run(int at) {
    return part(at).at();
  }

  /** Where a line begins in the text. */
  int start(int at) {
    return starts[at];
  }

  int lineAt(int offset) {
    int low = 0;
    int high = count() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts[middle] <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The line's number in the file, from 1. */
  int number(int at) {
    Run run = part(at);
    return run.firstLine() + at - run.at();
  }

  /** The first line whose number is at least this; {@link #count} if there is none. */
  int atOrAfter(int number) {
    int low = 0;
    int high = count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (number(middle) >= number) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  PageId page(int at) {
    return part(at).page();
  }

  private Run part(int at) {
    int low = 0;
    int high = runs.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (runs.get(middle).at() <= at) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return runs.get(low);
  }

  /** Whether the line after this one is the next one of the file. */
  boolean joined(int at) {
    return at + 1 < count() && number(at + 1) == number(at) + 1;
  }

  /**
   * Lines as a span.
   *
   * @param last inclusive; the span ends before it where lines of the file are missing
   * @param lineChars what a line is cut to
   */
  Span span(int first, int last, String kind, int lineChars) {
    int end = first;
    StringBuilder lines = new StringBuilder(Text.cut(line(first), lineChars));
    while (end < last && joined(end)) {
      end++;
      lines.append('\n').append(Text.cut(line(end), lineChars));
    }
    return new Span(path, number(first), number(end), lines.toString(), kind, page(first).value());
  }
}
