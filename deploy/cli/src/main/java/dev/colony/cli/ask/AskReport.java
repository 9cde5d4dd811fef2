package dev.colony.cli.ask;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.ask.Document.Coverage;
import dev.colony.cli.ask.Document.Links;
import dev.colony.client.wire.WireJson;
import dev.colony.inference.Usage;
import dev.colony.library.research.Answer;
import dev.colony.library.research.Answer.UnreadReasons;
import dev.colony.library.research.Evidence;
import dev.colony.library.research.Question.Exchange;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An answered question, for people and for programs.
 *
 * @param stats the coordinator's and its analysts', added up
 * @param leftOut how many files of the source are on no page, by reason
 * @param printed of the answer's text what a person has seen already
 */
public record AskReport(
    String runId,
    Answer answer,
    RunStats stats,
    int nodes,
    int pages,
    Map<String, Integer> leftOut,
    long tookMillis,
    String printed) {

  /** Of one citation, as many as a person takes in at a glance. */
  private static final int MOST_LINES = 6;

  private static final Pattern PLACE = Pattern.compile("\\[[^\\]\\s]+:\\d+(?:-\\d+)?]");

  static AskReport of(AskRecord asked, AgentRun run, int nodes, long tookMillis) {
    Answer answer = Answer.fromJson(run.output());
    RunStats stats = run.stats().plus(RunStats.fromJson(answer.analystStats()));
    return new AskReport(
        asked.runId(), answer, stats, nodes, asked.pages(), asked.leftOut(), tookMillis, "");
  }

  /** The same, of which a person has seen some. */
  AskReport printed(String text) {
    return new AskReport(runId, answer, stats, nodes, pages, leftOut, tookMillis, text);
  }

  /** Whether there is anything to show that speaks to the question. */
  public boolean answered() {
    return !answer.citations().isEmpty() || !answer.hits().isEmpty();
  }

  /** The answer, or why there is none. */
  private String said() {
    if (answer.answer() != null) {
      return answer.answer();
    }
    return answer.problem().isEmpty()
        ? answer.hits().isEmpty()
            ? "No file has the words of the question."
            : "The model found no answer in the places that it read."
        : "The model gave no answer: " + answer.problem();
  }

  /** The part of the pages that no model answered for, from 0 to 1. */
  public double unreadShare() {
    return answer.unread().isEmpty() ? 0 : (double) answer.unread().size() / asked();
  }

  /** How many of the pages were not read and mostly why, on one line. */
  public String unread() {
    String why =
        answer.reasons().mostFirst().stream()
            .findFirst()
            .map(one -> ", mostly because " + Text.message(one.reason()))
            .orElse("");
    int many = answer.unread().size();
    return "%d of %s %s not read%s"
        .formatted(many, count(asked(), "page"), many == 1 ? "was" : "were", why);
  }

  private int asked() {
    return Math.max(answer.pages() == 0 ? pages : answer.pages(), answer.unread().size());
  }

  /**
   * The report for programs: the component names are stable, {@code docs/reference/commands.md} has
   * them.
   */
  record Form(
      String runId,
      String kind,
      @JsonInclude(JsonInclude.Include.ALWAYS) String answer,
      List<CitationForm> citations,
      List<String> unreadPages,
      List<UnreadReasons.Reason> unreadReasons,
      List<String> uncertain,
      List<String> notRead,
      int rounds,
      int droppedQuotes,
      List<String> pagesRead,
      List<Answer.Hit> hits,
      String problem,
      StatsForm stats) {}

  /**
   * What the answer rests on.
   *
   * @param score larger is stronger; comparable within one answer only
   */
  record CitationForm(
      String file,
      int firstLine,
      int lastLine,
      String text,
      double score,
      String page,
      String agentId,
      String modelCall) {}

  record StatsForm(
      int nodes,
      int pages,
      int agents,
      int steps,
      int modelCalls,
      List<String> models,
      Usage usage,
      double cachedShare,
      BigDecimal cost,
      int placementHits,
      int placementMisses,
      Map<String, Integer> leftOut,
      long tookMillis) {}

  /** One object on one line. */
  public String toJson() {
    List<CitationForm> citations =
        answer.citations().stream()
            .map(one ->
                new CitationForm(
                    one.file(),
                    one.firstLine(),
                    one.lastLine(),
                    one.text(),
                    one.score(),
                    one.page(),
                    one.agent(),
                    one.modelCall()))
            .toList();
    return WireJson.write(
            new Form(
                runId,
                "answer",
                answer.answer(),
                citations,
                List.copyOf(answer.unread()),
                answer.reasons().mostFirst(),
                answer.uncertain(),
                answer.notRead(),
                answer.rounds(),
                answer.dropped(),
                answer.read(),
                answer.hits(),
                answer.problem(),
                took()))
        .toString();
  }

  /** The answer, its citations and one line of statistics. */
  public String toText() {
    boolean seen = !printed.isBlank() && bare(printed).equals(bare(said()));
    StringBuilder text = new StringBuilder(seen ? "" : said() + "\n");
    for (int i = 0; i < answer.citations().size(); i++) {
      Evidence one = answer.citations().get(i);
      text.append("\n[%d] %s%s\n".formatted(i + 1, one.place(), symbol(one)));
      List<String> lines = one.text().lines().toList();
      int shown = lines.size() <= MOST_LINES ? lines.size() : MOST_LINES - 1;
      for (int at = 0; at < shown; at++) {
        text.append("  %6d | %s\n".formatted(one.firstLine() + at, lines.get(at)));
      }
      if (shown < lines.size()) {
        text.append("         ... %s\n".formatted(count(lines.size() - shown, "more line")));
      }
    }
    if (answer.citations().isEmpty() && !answer.hits().isEmpty()) {
      text.append('\n').append(places(answer.hits()));
    }
    remarks().forEach(one -> text.append("  ").append(one).append('\n'));
    return text.append('\n').append(statistics()).toString();
  }

  /** The places that a search found, a line each. */
  static String places(List<Answer.Hit> hits) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < hits.size(); i++) {
      Answer.Hit hit = hits.get(i);
      String symbol = hit.symbol().isEmpty() ? "" : "   " + hit.symbol();
      text.append("%-3d %s:%d%s\n".formatted(i + 1, hit.file(), hit.firstLine(), symbol));
    }
    return text.toString();
  }

  private String symbol(Evidence lines) {
    return answer.hits().stream()
        .filter(hit -> hit.has(lines) && !hit.symbol().isEmpty())
        .findFirst()
        .map(hit -> "   " + hit.symbol())
        .orElse("");
  }

  /** A text without places in brackets and white space. */
  private static String bare(String text) {
    return PLACE.matcher(text).replaceAll("").replaceAll("\\s+", "");
  }

  /** What is to be known of the answer, a line each. */
  public List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    answer.uncertain().forEach(one -> remarks.add("not certain: " + one));
    answer.notRead().forEach(one -> remarks.add("not read: " + one));
    if (answer.dropped() > 0) {
      remarks.add(
          "%s of the model %s nowhere in what it read and %s left out"
              .formatted(
                  count(answer.dropped(), "quote"),
                  answer.dropped() == 1 ? "stands" : "stand",
                  answer.dropped() == 1 ? "was" : "were"));
    }
    for (UnreadReasons.Reason one : answer.reasons().mostFirst()) {
      remarks.add(
          "%d of %s %s not read: %s"
              .formatted(
                  one.pages(),
                  count(asked(), "page"),
                  one.pages() == 1 ? "was" : "were",
                  one.reason()));
    }
    return List.copyOf(remarks);
  }

  /** The part of the prompts' tokens that a cache had, from 0 to 1. */
  private double cachedShare() {
    long prompt = stats.usage().promptTokens();
    return prompt == 0 ? 0 : (double) stats.usage().cachedTokens() / prompt;
  }

  /**
   * As a document.
   *
   * @param coverage which parts of the source were read
   * @param links where its files are
   */
  public Document document(AskRecord asked, Optional<Coverage> coverage, Links links) {
    return new Document(
        asked.question(),
        asked.earlier().stream().map(Exchange::question).toList(),
        said(),
        answer.citations(),
        remarks(),
        coverage,
        asked.source(),
        links,
        new Document.Took(runId, answer.rounds(), took()));
  }

  private String statistics() {
    long prompt = stats.usage().promptTokens();
    long cached = Math.round(100 * cachedShare());
    return String.format(
        Locale.ROOT,
        "%s%s%s · %s prompt tokens, %d %% cached%s · %.1f s · run %s",
        answer.analysts() == 0
            ? ""
            : "%s on %s · %s · "
                .formatted(
                    count(agents(), "agent"), count(nodes, "node"), count(stats.steps(), "step")),
        count(stats.modelCalls(), "model call"),
        stats.models().isEmpty() ? "" : " of " + String.join(", ", stats.models()),
        Amount.tokens(prompt),
        cached,
        stats.cost().signum() == 0 ? "" : " · cost " + stats.cost().toPlainString(),
        tookMillis / 1000.0,
        runId);
  }

  private StatsForm took() {
    return new StatsForm(
        nodes,
        pages,
        agents(),
        stats.steps(),
        stats.modelCalls(),
        stats.models(),
        stats.usage(),
        cachedShare(),
        stats.cost(),
        stats.placementHits(),
        stats.placementMisses(),
        leftOut,
        tookMillis);
  }

  private int agents() {
    return 1 + answer.analysts();
  }

  private static String count(int number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  static final class Amount {

    private Amount() {}

    private static final long WHOLE = 100_000;

    /** For example {@code 812}, {@code 11.8 k}, {@code 188 k}, {@code 6.1 M}. */
    static String tokens(long tokens) {
      if (tokens < 1_000) {
        return Long.toString(tokens);
      }
      return tokens < 1_000_000
          ? String.format(Locale.ROOT, tokens < WHOLE ? "%.1f k" : "%.0f k", tokens / 1e3)
          : String.format(Locale.ROOT, "%.1f M", tokens / 1e6);
    }
  }
}
