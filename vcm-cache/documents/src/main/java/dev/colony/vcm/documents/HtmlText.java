package dev.colony.vcm.documents;

import dev.colony.vcm.documents.Documents.TooLarge;
import dev.colony.vcm.source.TextReader;
import java.io.IOException;
import java.util.Set;
import java.util.TreeMap;
import org.jsoup.Jsoup;
import org.jsoup.nodes.DataNode;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.parser.Parser;
import org.jsoup.select.NodeVisitor;

/**
 * The text of a page of HTML, through jsoup, which loads nothing. A text stands in the line in
 * which it stands in the file, and so does a script, so that lines are those of the file. Where the
 * file has lines that no person wrote, each block is a line instead, without scripts.
 */
final class HtmlText {

  private static final int MOST_BYTES = 16 << 20;

  /** Of a line that a person wrote. */
  private static final int MOST_LINE_CHARS = 2_000;

  private static final Set<String> APART = Set.of("br", "td", "th", "option", "dt", "dd", "title");

  private HtmlText() {}

  static String of(byte[] document) throws IOException {
    if (document.length > MOST_BYTES) {
      throw new TooLarge();
    }
    return of(
        TextReader.decode(document).orElseThrow(() -> new IOException("in no known encoding")));
  }

  static String of(String html) {
    boolean written = html.lines().allMatch(line -> line.length() <= MOST_LINE_CHARS);
    Lines lines = new Lines(written);
    Jsoup.parse(html, "", Parser.htmlParser().setTrackPosition(written)).traverse(lines);
    return lines.toString();
  }

  /** The lines of a text, by their numbers. */
  private static final class Lines implements NodeVisitor {

    private final boolean placed;
    private final TreeMap<Integer, StringBuilder> lines = new TreeMap<>();
    private int last = 1;
    private int preformatted;
    private boolean apart;

    Lines(boolean placed) {
      this.placed = placed;
    }

    @Override
    public void head(Node node, int depth) {
      switch (node) {
        case TextNode text -> add(node, text.getWholeText(), preformatted > 0);
        case DataNode data when placed && node.nameIs("#data") && script(node) ->
            add(node, data.getWholeData(), true);
        case Element element -> {
          apart |= apart(element);
          preformatted += element.nameIs("pre") ? 1 : 0;
        }
        default -> {}
      }
    }

    @Override
    public void tail(Node node, int depth) {
      if (node instanceof Element element) {
        apart |= apart(element);
        preformatted -= element.nameIs("pre") ? 1 : 0;
      }
    }

    private static boolean script(Node data) {
      return data.parent() instanceof Element element && element.nameIs("script");
    }

    private static boolean apart(Element element) {
      return element.isBlock() || APART.contains(element.normalName());
    }

    private void add(Node node, String text, boolean whole) {
      if (text.isBlank()) {
        return;
      }
      if (placed && node.sourceRange().isTracked()) {
        last = Math.max(1, node.sourceRange().start().lineNumber());
      } else if (apart) {
        last += lines.isEmpty() ? 0 : 1;
      }
      String[] parts = (placed || whole) ? text.split("\n", -1) : new String[] {text};
      for (int i = 0; i < parts.length; i++) {
        last += i == 0 ? 0 : 1;
        StringBuilder line = lines.computeIfAbsent(last, number -> new StringBuilder());
        String part = whole ? parts[i].stripTrailing() : parts[i].replaceAll("\\s+", " ");
        if (i == 0 && apart && !line.isEmpty() && !part.startsWith(" ")) {
          line.append(' ');
        }
        line.append(line.isEmpty() && !whole ? part.stripLeading() : part);
      }
      apart = false;
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      int next = 1;
      for (var line : lines.entrySet()) {
        String own = line.getValue().toString().stripTrailing();
        if (!own.isEmpty()) {
          text.repeat("\n", Math.max(0, line.getKey() - next)).append(own).append('\n');
          next = line.getKey() + 1;
        }
      }
      return text.toString();
    }
  }
}
