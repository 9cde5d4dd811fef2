package dev.colony.replica.lexical;

import dev.colony.replica.lexical.LineKinds.LineKind;
import dev.colony.replica.lexical.QueryTerms.Vocabulary;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.mapping.Words;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page taken apart: its lines with their file, number, kind and stems, and the declarations they
 * belong to. Immutable after construction, so that one analysis serves all questions.
 *
 * <p>A page is a sequence of segments {@code === path (lines a-b)}, each followed by those lines of
 * the file, some behind their numbers. Text before the first header belongs to no file and is left
 * out.
 */
final class AnalyzedPage {

  static final Pattern HEADER = Pattern.compile("^=== (.+) \\(lines (\\d+)-(\\d+)\\)$");

  private static final int NONE = -1;

  /**
   * One line.
   *
   * @param stems distinct, as positions in {@link #stems}
   * @param declaration the line that this one documents or is the body of, or itself; -1 for none
   * @param type the line that declares the type around this line, or -1
   */
  record Line(
      int segment,
      int number,
      String text,
      LineKind kind,
      int[] stems,
      int declaration,
      int type) {}

  /** The file of a segment. */
  record Segment(String path, int[] stems) {}

  private final List<Segment> segments = new ArrayList<>();
  private final List<Line> lines = new ArrayList<>();
  private final List<String> stems = new ArrayList<>();
  private final List<String> families = new ArrayList<>();

  AnalyzedPage(String text) {
    Map<String, Integer> dictionary = new HashMap<>();
    List<String> body = new ArrayList<>();
    String path = null;
    int first = 0;
    int left = 0;
    for (String line : text.split("\n", -1)) {
      Matcher header = left > 0 ? null : HEADER.matcher(line);
      if (header != null && header.matches()) {
        close(path, first, body, dictionary);
        path = header.group(1);
        first = Integer.parseInt(header.group(2));
        left = Math.max(0, Integer.parseInt(header.group(3)) - first + 1);
        body = new ArrayList<>();
      } else if (path != null && left > 0) {
        String own = PageText.unnumbered(first + body.size(), line);
        body.add(own.endsWith("\r") ? own.substring(0, own.length() - 1) : own);
        left--;
      }
    }
    close(path, first, body, dictionary);
  }

  List<Segment> segments() {
    return segments;
  }

  List<Line> lines() {
    return lines;
  }

  /** All distinct stems of the page. */
  List<String> stems() {
    return stems;
  }

  /** The word families of the stems, in the same order. */
  List<String> families() {
    return families;
  }

  private void close(String path, int first, List<String> body, Map<String, Integer> dictionary) {
    if (path == null) {
      return;
    }
    int segment = segments.size();
    segments.add(new Segment(path, positions(path, dictionary)));
    LineKind[] kinds = kinds(path, body);
    int[] declarations = declarations(kinds, body);
    int[] types = types(kinds, body);
    int[][] words = positions(body, dictionary);
    int offset = lines.size();
    for (int i = 0; i < body.size(); i++) {
      lines.add(
          new Line(
              segment,
              first + i,
              body.get(i),
              kinds[i],
              words[i],
              declarations[i] == NONE ? NONE : offset + declarations[i],
              types[i] == NONE ? NONE : offset + types[i]));
    }
  }

  private static LineKind[] kinds(String path, List<String> body) {
    LineKinds reader = new LineKinds(path);
    LineKind[] kinds = new LineKind[body.size()];
    for (int i = 0; i < kinds.length; i++) {
      kinds[i] = reader.next(body.get(i));
    }
    markLicence(kinds);
    return kinds;
  }

  /** Comments before the package line are the licence, or as good as one. */
  private static void markLicence(LineKind[] kinds) {
    int i = 0;
    while (i < kinds.length && (kinds[i] == LineKind.COMMENT || kinds[i] == LineKind.BLANK)) {
      i++;
    }
    if (i < kinds.length && kinds[i] == LineKind.IMPORT) {
      for (int j = 0; j < i; j++) {
        kinds[j] = kinds[j] == LineKind.COMMENT ? LineKind.LICENCE : kinds[j];
      }
    }
  }

  /** Links bodies to the declaration before them, and comments to the one they stand above. */
  private static int[] declarations(LineKind[] kinds, List<String> body) {
    int[] declarations = new int[kinds.length];
    int current = NONE;
    for (int i = 0; i < kinds.length; i++) {
      current = kinds[i].declares() ? i : current;
      declarations[i] = kinds[i] == LineKind.COMMENT ? NONE : current;
    }
    for (int i = 0; i < kinds.length; i++) {
      if (!kinds[i].declares()) {
        continue;
      }
      int above = i - 1;
      while (above >= 0
          && body.get(above).strip().startsWith("@")
          && kinds[above] != LineKind.COMMENT) {
        above--;
      }
      for (; above >= 0 && kinds[above] == LineKind.COMMENT; above--) {
        kinds[above] = LineKind.DOC;
        declarations[above] = i;
      }
    }
    return declarations;
  }

  /** The innermost type declared above each line with less indentation. */
  private static int[] types(LineKind[] kinds, List<String> body) {
    int[] types = new int[kinds.length];
    Arrays.fill(types, NONE);
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < kinds.length; i++) {
      if (kinds[i] == LineKind.BLANK) {
        continue;
      }
      int indent = indent(body.get(i));
      while (!open.isEmpty()
          && indent <= indent(body.get(open.getLast()))
          && !closes(body.get(i))) {
        open.removeLast();
      }
      types[i] = open.isEmpty() ? NONE : open.getLast();
      if (kinds[i] == LineKind.TYPE) {
        open.add(i);
      }
    }
    return types;
  }

  private static boolean closes(String line) {
    String stripped = line.strip();
    return stripped.startsWith("}") || stripped.startsWith(")") || stripped.startsWith("{");
  }

  private static int indent(String line) {
    int indent = 0;
    while (indent < line.length() && Character.isWhitespace(line.charAt(indent))) {
      indent++;
    }
    return indent;
  }

  private int[] positions(String text, Map<String, Integer> dictionary) {
    return positions(List.of(text), dictionary)[0];
  }

  /** The distinct stems of each line. Lines are scanned as one text: a scan has its price. */
  private int[][] positions(List<String> texts, Map<String, Integer> dictionary) {
    int[] ends = new int[texts.size()];
    int end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += texts.get(i).length() + 1;
      ends[i] = end;
    }
    int[][] positions = new int[ends.length][];
    Arrays.fill(positions, new int[0]);
    Words.scan(
        String.join("\n", texts),
        (stem, start, stop) -> {
          int found = Arrays.binarySearch(ends, start);
          int line = found < 0 ? -found - 1 : found + 1;
          positions[line] = with(positions[line], position(stem.toString(), dictionary));
        });
    return positions;
  }

  private int position(String stem, Map<String, Integer> dictionary) {
    Integer known = dictionary.putIfAbsent(stem, stems.size());
    if (known != null) {
      return known;
    }
    stems.add(stem);
    families.add(Vocabulary.family(stem));
    return stems.size() - 1;
  }

  private static int[] with(int[] positions, int position) {
    for (int p : positions) {
      if (p == position) {
        return positions;
      }
    }
    int[] more = Arrays.copyOf(positions, positions.length + 1);
    more[positions.length] = position;
    return more;
  }
}
