package dev.colony.cli.ask;

import dev.colony.cli.ask.Document.Coverage;
import dev.colony.cli.ask.Document.Links;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Printable;
import dev.colony.library.research.Evidence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The file that a report is written to; its ending says how. */
public record ReportFile(Path path) {

  /**
   * @throws CommandFailure if it ends otherwise than {@code .md} and {@code .html}, or cannot be
   *     written where it is
   */
  public static ReportFile of(Path path) {
    String name = String.valueOf(path.getFileName()).toLowerCase(Locale.ROOT);
    if (!name.endsWith(".md") && !name.endsWith(".html")) {
      throw refused(path, "give a file that ends with .md or .html", null);
    }
    if (Files.isDirectory(path)) {
      throw refused(path, "is a directory", null);
    }
    Path directory = path.toAbsolutePath().getParent();
    if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
      throw refused(path, "its directory cannot be written", null);
    }
    return new ReportFile(path);
  }

  /**
   * Writes a report in place of what the file held: all of it or nothing.
   *
   * @throws CommandFailure if it cannot be written
   */
  public void write(Document document) {
    boolean html = path.toString().toLowerCase(Locale.ROOT).endsWith(".html");
    Path unfinished = null;
    try {
      Path directory = path.toAbsolutePath().getParent();
      unfinished =
          directory.resolve(
              ".%s.%d.new".formatted(path.getFileName(), ProcessHandle.current().pid()));
      Files.writeString(unfinished, html ? HtmlReport.of(document) : MarkdownReport.of(document));
      Files.move(unfinished, path.toAbsolutePath(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      delete(unfinished);
      throw refused(path, "cannot be written", failure);
    }
  }

  private static void delete(Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException leftBehind) {
      // What could not be written is what is reported.
    }
  }

  private static CommandFailure refused(Path path, String why, IOException cause) {
    return CommandFailure.badInput("--report %s: %s".formatted(path, why), cause);
  }

  /**
   * A report as one HTML document that loads nothing: no scripts, no styles and no pictures of
   * others, which its policy forbids. Whatever comes from the source or from a model is text.
   */
  static final class HtmlReport {

    private static final int ROW = 22;
    private static final int NAMES = 320;
    private static final int BAR = 420;
    private static final int WIDTH = NAMES + BAR + 90;

    private static final String STYLE =
        """
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem;
          color: #1b1f24; background: #fff }
        h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
        .answer { white-space: pre-wrap } .after { color: #57606a }
        pre { background: #f3f5f7; padding: .6rem; overflow-x: auto; font-size: .85rem }
        table { border-collapse: collapse } td { padding: .1rem 1rem .1rem 0; vertical-align: top }
        svg { max-width: 100%; height: auto; font: 13px system-ui, sans-serif }
        """;

    private HtmlReport() {}

    static String of(Document document) {
      StringBuilder html =
          new StringBuilder(
              """
              <!DOCTYPE html>
              <html lang="en">
              <head>
              <meta charset="utf-8">
              <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
              <meta name="viewport" content="width=device-width, initial-scale=1">
              <title>%s</title>
              <style>
              %s</style>
              </head>
              <body>
              <h1>%s</h1>
              """
                  .formatted(text(document.question()), STYLE, text(document.question())));
      document
          .earlier()
          .forEach(
              one -> html.append("<p class=\"after\">After: ").append(text(one)).append("</p>\n"));
      html.append("<div class=\"answer\">").append(lines(document.answer())).append("</div>\n");
      if (!document.citations().isEmpty()) {
        html.append("<h2>Lines</h2>\n");
        document.citations().forEach(one -> html.append(cited(document.links(), one)));
      }
      if (!document.remarks().isEmpty()) {
        html.append("<h2>Remarks</h2>\n<ul>\n");
        document.remarks().forEach(one -> html.append("<li>").append(text(one)).append("</li>\n"));
        html.append("</ul>\n");
      }
      document.coverage().ifPresent(coverage -> html.append(covered(document.source(), coverage)));
      return html.append(took(document.took())).append("</body>\n</html>\n").toString();
    }

    private static String cited(Links links, Evidence one) {
      String place = "<code>" + text(one.place()) + "</code>";
      return String.format(
          Locale.ROOT,
          "<p>%s <span class=\"after\">score %.2f</span></p>%n<pre>%s</pre>%n",
          links.of(one).map(to -> "<a href=\"" + text(to) + "\">" + place + "</a>").orElse(place),
          one.score(),
          lines(one.text()));
    }

    private static String covered(String source, Coverage coverage) {
      Coverage.Part all = coverage.all();
      return String.format(
              Locale.ROOT,
              "<h2>What was read</h2>%n<p>%.1f%% of %,d lines of %s. Dark: read; a dot:"
                  + " cited.</p>%n",
              100 * all.share(),
              all.lines(),
              text(source))
          + picture(coverage);
    }

    /**
     * A bar a directory: as long as it has lines, by the root of their number, dark as it is read.
     */
    private static String picture(Coverage coverage) {
      long most = coverage.parts().stream().mapToLong(Coverage.Part::lines).max().orElse(1);
      StringBuilder svg =
          new StringBuilder(
              "<svg role=\"img\" aria-label=\"which directories were read\" viewBox=\"0 0 %d %d\">\n"
                  .formatted(WIDTH, ROW * coverage.parts().size()));
      int y = 0;
      for (Coverage.Part part : coverage.parts()) {
        double whole = Math.max(2, BAR * Math.sqrt((double) part.lines() / most));
        String name = part.path().isEmpty() ? "(top)" : part.path();
        svg.append(
            String.format(
                Locale.ROOT,
                "<g><title>%s: %,d of %,d lines read</title>"
                    + "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
                    + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#d8dee4\"/>"
                    + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#0a5cad\"/>"
                    + "%s<text x=\"%.1f\" y=\"%d\">%.0f%%</text></g>%n",
                text(name),
                part.read(),
                part.lines(),
                NAMES - 20,
                y + 15,
                text(shortened(name)),
                NAMES,
                y + 3,
                whole,
                ROW - 6,
                NAMES,
                y + 3,
                whole * part.share(),
                ROW - 6,
                part.cited()
                    ? "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"#b35900\"/>"
                        .formatted(NAMES - 10, y + ROW / 2)
                    : "",
                NAMES + whole + 6,
                y + 15,
                100 * part.share()));
        y += ROW;
      }
      return svg.append("</svg>\n").toString();
    }

    /** The end of a long path, which tells it apart. */
    private static String shortened(String path) {
      int most = 42;
      int from = path.offsetByCodePoints(0, 0);
      if (path.codePointCount(0, path.length()) > most) {
        from = path.offsetByCodePoints(path.length(), 1 - most);
      }
      return from == 0 ? path : "…" + path.substring(from);
    }

    private static String took(Document.Took took) {
      return String.format(
          Locale.ROOT,
          "<h2>What it took</h2>%n<table>%n"
              + row("model", "%s")
              + row("model calls", "%d of %d agents on %d nodes, %d rounds")
              + row("prompt tokens", "%,d, %.0f%% of them cached")
              + row("completion tokens", "%,d")
              + row("money", "%s")
              + row("time", "%.1f s")
              + row("run", "%s")
              + "</table>%n",
          text(String.join(", ", took.stats().models())),
          took.stats().modelCalls(),
          took.stats().agents(),
          took.stats().nodes(),
          took.rounds(),
          took.stats().usage().promptTokens(),
          100 * took.stats().cachedShare(),
          took.stats().usage().completionTokens(),
          text(took.money()),
          took.stats().tookMillis() / 1000.0,
          text(took.runId()));
    }

    private static String row(String name, String value) {
      return "<tr><td>" + name + "</td><td>" + value + "</td></tr>%n";
    }

    private static String lines(String text) {
      return text.lines().map(HtmlReport::text).collect(Collectors.joining("\n"));
    }

    /** A text of one line in which nothing is taken for HTML. */
    private static String text(String text) {
      return Printable.of(text.replace('\t', ' ').replace('\n', ' '))
          .replace("&", "&amp;")
          .replace("<", "&lt;")
          .replace(">", "&gt;")
          .replace("\"", "&quot;")
          .replace("'", "&#39;");
    }
  }

  /** A report as Markdown (CommonMark with tables). */
  static final class MarkdownReport {

    private static final int BAR = 20;
    private static final Pattern LIST = Pattern.compile("^(\\d*)[-+.=)]");
    private static final String SPECIAL = "\\`*_[]<>&|~#";

    private MarkdownReport() {}

    static String of(Document document) {
      StringBuilder text =
          new StringBuilder("# ").append(plain(document.question())).append("\n\n");
      document.earlier().forEach(one -> text.append("After: ").append(plain(one)).append("\n\n"));
      document
          .answer()
          .lines()
          .forEach(line -> text.append(line.isBlank() ? "" : plain(line) + "  ").append('\n'));
      if (!document.citations().isEmpty()) {
        text.append("\n## Lines\n");
        document.citations().forEach(one -> cited(text, document, one));
      }
      if (!document.remarks().isEmpty()) {
        text.append("\n## Remarks\n\n");
        document.remarks().forEach(one -> text.append("- ").append(plain(one)).append('\n'));
      }
      document.coverage().ifPresent(coverage -> covered(text, document, coverage));
      took(text, document.took());
      return text.toString();
    }

    private static void cited(StringBuilder text, Document document, Evidence one) {
      String place = plain(one.place());
      String link = document.links().of(one).map(to -> "[" + place + "](" + to + ")").orElse(place);
      String fence = fence(one.text());
      text.append("\n- ")
          .append(link)
          .append(String.format(Locale.ROOT, " (score %.2f)%n%n", one.score()));
      text.append("  ").append(fence).append("text\n");
      one.text().lines().forEach(line -> text.append("  ").append(Printable.of(line)).append('\n'));
      text.append("  ").append(fence).append('\n');
    }

    /** More backticks than stand together anywhere in the text. */
    private static String fence(String text) {
      int longest = 0;
      int now = 0;
      for (int i = 0; i < text.length(); i++) {
        now = text.charAt(i) == '`' ? now + 1 : 0;
        longest = Math.max(longest, now);
      }
      return "`".repeat(Math.max(3, longest + 1));
    }

    private static void covered(StringBuilder text, Document document, Coverage coverage) {
      Coverage.Part all = coverage.all();
      text.append(
          String.format(
              Locale.ROOT,
              "%n## What was read%n%n%s of %,d lines of %s. A directory that the answer cites is"
                  + " marked.%n%n",
              percent(all.share()),
              all.lines(),
              plain(document.source())));
      text.append("| directory | lines | read | | cited |\n|---|---:|---|---:|---|\n");
      for (Coverage.Part part : coverage.parts()) {
        text.append(
            String.format(
                Locale.ROOT,
                "| %s | %,d | %s | %s | %s |%n",
                part.path().isEmpty() ? "(top)" : plain(part.path()),
                part.lines(),
                bar(part.share()),
                percent(part.share()),
                part.cited() ? "cited" : ""));
      }
    }

    private static String bar(double share) {
      // What was read at all is seen.
      int full = share == 0 ? 0 : (int) Math.max(1, Math.round(share * BAR));
      return "█".repeat(full) + "░".repeat(BAR - full);
    }

    private static String percent(double share) {
      return String.format(
          Locale.ROOT, share > 0 && share < 0.01 ? "%.1f%%" : "%.0f%%", 100 * share);
    }

    private static void took(StringBuilder text, Document.Took took) {
      text.append(
          String.format(
              Locale.ROOT,
              "%n## What it took%n%n| | |%n|---|---|%n| model | %s |%n| model calls | %d |%n|"
                  + " rounds | %d |%n| prompt tokens | %,d |%n| of these cached | %s |%n|"
                  + " completion tokens | %,d |%n| money | %s |%n| time | %.1f s |%n| run | %s |%n",
              plain(String.join(", ", took.stats().models())),
              took.stats().modelCalls(),
              took.rounds(),
              took.stats().usage().promptTokens(),
              percent(took.stats().cachedShare()),
              took.stats().usage().completionTokens(),
              took.money(),
              took.stats().tookMillis() / 1000.0,
              took.runId()));
    }

    /** Text on one line in which nothing is taken for Markdown or HTML. */
    private static String plain(String text) {
      String line = Printable.of(text.replace('\t', ' ').replace('\n', ' ').strip());
      // A list or a numbered one begins so, and nothing else does.
      Matcher start = LIST.matcher(line);
      if (start.find()) {
        line = line.substring(0, start.end(1)) + "\\" + line.substring(start.end(1));
        return line.substring(0, start.end(1) + 2) + escaped(line.substring(start.end(1) + 2));
      }
      return escaped(line);
    }

    private static String escaped(String line) {
      StringBuilder shown = new StringBuilder();
      line.codePoints()
          .forEach(c -> {
            if (SPECIAL.indexOf(c) >= 0) {
              shown.append('\\');
            }
            shown.appendCodePoint(c);
          });
      return shown.toString();
    }
  }
}
