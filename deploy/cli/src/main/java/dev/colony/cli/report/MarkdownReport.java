package dev.colony.cli.report;

import dev.colony.cli.terminal.Printable;
import dev.colony.library.research.Evidence;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A report as Markdown (CommonMark with tables). */
final class MarkdownReport {

  private static final int BAR = 20;
  private static final Pattern LIST = Pattern.compile("^(\\d*)[-+.=)]");
  private static final String SPECIAL = "\\`*_[]<>&|~#";

  private MarkdownReport() {}

  static String of(Document document) {
    StringBuilder text = new StringBuilder("# ").append(plain(document.question())).append("\n\n");
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
    return String.format(Locale.ROOT, share > 0 && share < 0.01 ? "%.1f%%" : "%.0f%%", 100 * share);
  }

  private static void took(StringBuilder text, Document.Took took) {
    text.append(
        String.format(
            Locale.ROOT,
            "%n## What it took%n%n| | |%n|---|---|%n| model | %s |%n| model calls | %d |%n"
                + "| rounds | %d |%n| prompt tokens | %,d |%n| of these cached | %s |%n"
                + "| completion tokens | %,d |%n| money | %s |%n| time | %.1f s |%n| run | %s |%n",
            plain(String.join(", ", took.models())),
            took.modelCalls(),
            took.rounds(),
            took.promptTokens(),
            percent(took.cachedShare()),
            took.completionTokens(),
            took.money(),
            took.tookMillis() / 1000.0,
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
