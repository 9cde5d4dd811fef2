package dev.colony.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.Progress;
import dev.colony.client.wire.WireJson;
import dev.colony.vcm.mapping.Excerpt.Line;
import dev.colony.vcm.mapping.Excerpt.Range;
import dev.colony.vcm.mapping.FileSearch;
import dev.colony.vcm.mapping.FileSearch.Hit;
import dev.colony.vcm.mapping.FileSearch.Result;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.PageSources;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * What {@code colony run} does without a model: searches the source in this JVM, starts nothing,
 * and says that it is a search.
 */
final class CodeSearch {

  private static final String NO_TEXT = ": holds no text files";
  private static final String BOLD = "\u001b[1m";
  private static final String PLAIN = "\u001b[0m";

  private final Config config;
  private final String note;
  private final boolean json;
  private final boolean bold;

  /**
   * @param note is said on standard error before anything is searched
   * @param bold whether the question's words are to be marked, as on a terminal
   */
  CodeSearch(Config config, String note, boolean json, boolean bold) {
    this.config = config;
    this.note = note;
    this.json = json;
    this.bold = bold;
  }

  /** Whether standard output is a terminal that may have colours (https://no-color.org). */
  static boolean marks() {
    String none = System.getenv("NO_COLOR");
    return Boolean.getBoolean("colony.terminal.output")
        && (none == null || none.isEmpty())
        && !"dumb".equals(System.getenv("TERM"));
  }

  /**
   * Searches and prints what it finds. Blocks.
   *
   * @param hits how many places; empty for as many as stand out
   * @throws CommandFailure if the source cannot be read here, with the reason
   */
  ExitCode of(String spec, String question, OptionalInt hits, Stopwatch started) {
    PageSources sources = PageSources.installed();
    if (RunSource.isMap(spec) || sources.needsBlackboards(spec)) {
      throw CommandFailure.badInput(
          spec + ": is kept by a cluster: give --model-url, or --survey for the embedded replica");
    }
    Result result;
    SourceContext context = new SourceContext(config, Asking.TENANT).withInput(System.in);
    SourceReading reading = sources.open(spec, context).read(SourceProgress.SILENT);
    if (reading instanceof SourceReading.Refused refused) {
      throw CommandFailure.badInput(refused.reason());
    }
    SourceReading.Read read = (SourceReading.Read) reading;
    if (read.files().isEmpty()) {
      throw CommandFailure.badInput(spec + NO_TEXT);
    }
    System.err.println(note);
    try (Progress progress = Progress.onStandardError()) {
      result =
          FileSearch.search(
              read,
              question,
              hits,
              SourceSettings.fromConfig(config).threads(),
              (stage, done, total) -> progress.at("searching", done, total));
    }
    if (result.files() == 0) {
      throw CommandFailure.badInput(spec + NO_TEXT);
    }
    long millis = started.elapsed().toMillis();
    System.out.println(json ? Form.of(question, result, millis).json() : text(result, millis));
    return result.hits().isEmpty() ? ExitCode.UNSUCCESSFUL : ExitCode.OK;
  }

  private String text(Result result, long millis) {
    StringBuilder text = new StringBuilder();
    if (!result.absent().isEmpty()) {
      text.append(
              result.absent().stream()
                  .map(word -> "\"" + Printable.of(word) + "\"")
                  .collect(Collectors.joining(", ")))
          .append(result.absent().size() == 1 ? " occurs" : " occur")
          .append(" nowhere in these files.\n\n");
    }
    if (result.hits().isEmpty()) {
      text.append(
          result.more()
              ? "What else the question says tells too little for a search.\n\n"
              : "No file contains a distinctive word of the question.\n\n");
    } else if (!result.outstanding()) {
      text.append("Nothing stands out: these places fit about equally.\n\n");
    }
    int rank = 0;
    for (Hit hit : result.hits()) {
      append(++rank, hit, text);
    }
    return text.append(statistics(result, millis)).toString();
  }

  private void append(int rank, Hit hit, StringBuilder text) {
    text.append("%-2d ".formatted(rank)).append(Printable.of(hit.file())).append(':');
    text.append(hit.line());
    if (!hit.symbol().isEmpty()) {
      text.append("   ").append(Printable.of(hit.symbol()));
    }
    text.append('\n');
    int before = 0;
    for (Line line : hit.lines()) {
      if (before > 0 && line.number() > before + 1) {
        text.append("     ...\n");
      }
      text.append("%8d | ".formatted(line.number())).append(marked(line)).append('\n');
      before = line.number();
    }
    if (!hit.matched().isEmpty()) {
      text.append("     matched: ").append(Printable.of(String.join(", ", hit.matched())));
      text.append('\n');
    }
  }

  private String marked(Line line) {
    if (!bold) {
      return Printable.of(line.text());
    }
    StringBuilder text = new StringBuilder();
    int at = 0;
    for (Range range : line.highlights()) {
      text.append(Printable.of(line.text().substring(at, range.start())))
          .append(BOLD)
          .append(Printable.of(line.text().substring(range.start(), range.end())))
          .append(PLAIN);
      at = range.end();
    }
    return text.append(Printable.of(line.text().substring(at))).toString();
  }

  private static String statistics(Result result, long millis) {
    List<String> parts = new ArrayList<>();
    parts.add(
        String.format(
            Locale.ROOT,
            "%,d %s searched in %.1f s",
            result.files(),
            result.files() == 1 ? "file" : "files",
            millis / 1000.0));
    if (result.generated() > 0) {
      parts.add("%,d generated or vendored, ranked last".formatted(result.generated()));
    }
    if (result.more() && result.hits().size() < FileSearch.MOST_HITS) {
      int more = Math.max(FileSearch.USUAL_HITS, 2 * result.hits().size());
      parts.add("--hits %d for more".formatted(Math.min(FileSearch.MOST_HITS, more)));
    }
    return String.join(" · ", parts)
        + result.left().line().map(line -> "\n" + Printable.of(line)).orElse("");
  }

  /**
   * The search for programs: the component names are stable, {@code docs/reference/commands.md} has
   * them.
   *
   * @param citations the lines of the hits, as an answer has them
   */
  record Form(
      String kind,
      String question,
      List<Hit> hits,
      List<Citation> citations,
      List<String> absent,
      boolean outstanding,
      boolean more,
      Stats stats) {

    /** With an answer that is null, for a search has none. */
    private String json() {
      ObjectNode json = WireJson.write(this);
      return Printable.line(json.putNull("answer"));
    }

    private static Form of(String question, Result result, long millis) {
      return new Form(
          "search",
          question,
          result.hits(),
          result.hits().stream().flatMap(hit -> Citation.of(hit).stream()).toList(),
          result.absent(),
          result.outstanding(),
          result.more(),
          new Stats(result.files(), result.generated(), result.left().counts(), millis));
    }
  }

  /**
   * @param files that were searched
   * @param leftOut by reason what was not searched
   */
  record Stats(int files, int generated, Map<String, Integer> leftOut, long tookMillis) {}

  /** Lines of a hit that stand one after the other. */
  record Citation(String file, int firstLine, int lastLine, String text, double score) {

    private static List<Citation> of(Hit hit) {
      List<Citation> all = new ArrayList<>();
      for (Line line : hit.lines()) {
        Citation last = all.isEmpty() ? null : all.getLast();
        if (last != null && last.lastLine() + 1 == line.number()) {
          all.removeLast();
          all.add(
              new Citation(
                  last.file(),
                  last.firstLine(),
                  line.number(),
                  last.text() + "\n" + line.text(),
                  last.score()));
        } else {
          all.add(new Citation(hit.file(), line.number(), line.number(), line.text(), hit.score()));
        }
      }
      return all;
    }
  }
}
