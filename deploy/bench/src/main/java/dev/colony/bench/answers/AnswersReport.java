package dev.colony.bench.answers;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.answers.KeyedQuestion.Verdict;
import dev.colony.inference.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a benchmark of answers found.
 *
 * @param models that have answered
 * @param usage tokens of all questions
 */
public record AnswersReport(List<String> models, Usage usage, List<Row> rows) {

  /** A way to find lines, or a stage of one. */
  enum Stage {
    /** The files in the order of the index; evidence: a page that is read holds a right line. */
    INDEX,
    /** The lines that analysts have quoted. */
    READ,
    /** Those of them that the answer is composed from. */
    STRONGEST,
    /** Those that the answer cites. */
    CITED,
    /** BM25 over whole files. */
    BM25,
    /** Files by how many different words of the question they have. */
    GREP;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * How a question went.
   *
   * @param millis that an answer took: of {@code CITED} from when it was asked, the tree being
   *     mapped; of a baseline without its reading of the tree; of the others 0
   * @param flow what the answer says of how it came to be
   * @param error why it has no answer; empty if it has one
   */
  record Row(
      KeyedQuestion question,
      Map<Stage, Verdict> verdicts,
      Map<Stage, Long> millis,
      Flow flow,
      String error) {}

  /**
   * How an answer came to be.
   *
   * @param rounds that the analysts were asked
   * @param dropped quotes that stood nowhere
   * @param unfounded places that are cited and that the tree does not have so
   */
  record Flow(int rounds, int dropped, int unfounded) {
    static final Flow NONE = new Flow(0, 0, 0);

    private Flow plus(Flow other) {
      return new Flow(rounds + other.rounds, dropped + other.dropped, unfounded + other.unfounded);
    }
  }

  private Flow flow() {
    return rows.stream().map(Row::flow).reduce(Flow.NONE, Flow::plus);
  }

  /** Rights of several questions. */
  private record Sum(int questions, int first, int three, int five, int evidence, double seconds) {}

  private static Sum sum(List<Row> rows, Stage stage) {
    int[] rights = new int[4];
    long millis = 0;
    for (Row row : rows) {
      Verdict verdict = row.verdicts().get(stage);
      rights[0] += verdict.first() ? 1 : 0;
      rights[1] += verdict.three() ? 1 : 0;
      rights[2] += verdict.five() ? 1 : 0;
      rights[3] += verdict.evidence() ? 1 : 0;
      millis += row.millis().getOrDefault(stage, 0L);
    }
    return new Sum(
        rows.size(), rights[0], rights[1], rights[2], rights[3], millis / 1000.0 / rows.size());
  }

  /** All questions, then by kind, then by tree. */
  private Map<String, List<Row>> groups() {
    Map<String, List<Row>> kinds = new TreeMap<>();
    Map<String, List<Row>> trees = new TreeMap<>();
    for (Row row : rows) {
      kinds.computeIfAbsent(row.question().kind(), kind -> new ArrayList<>()).add(row);
      trees.computeIfAbsent(row.question().corpus(), tree -> new ArrayList<>()).add(row);
    }
    Map<String, List<Row>> groups = new LinkedHashMap<>();
    groups.put("all", rows);
    groups.putAll(kinds);
    groups.putAll(trees);
    return groups;
  }

  /** How many questions have no answer because something failed. */
  public long failed() {
    return rows.stream().filter(row -> !row.error().isEmpty()).count();
  }

  private double cachedShare() {
    return usage.promptTokens() == 0 ? 0 : (double) usage.cachedTokens() / usage.promptTokens();
  }

  /** One object on one line; of the groups each stage. */
  public String toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("questions", rows.size());
    models.forEach(json.putArray("models")::add);
    json.put("failed", failed())
        .put("promptTokens", usage.promptTokens())
        .put("cachedTokens", usage.cachedTokens())
        .put("cachedShare", cachedShare())
        .put("completionTokens", usage.completionTokens())
        .put("rounds", flow().rounds())
        .put("droppedQuotes", flow().dropped())
        .put("unfoundedCitations", flow().unfounded());
    ArrayNode groups = json.putArray("groups");
    groups()
        .forEach((name, group) -> {
          ObjectNode one = groups.addObject().put("group", name).put("questions", group.size());
          for (Stage stage : Stage.values()) {
            Sum sum = sum(group, stage);
            one.putObject(stage.word())
                .put("file@1", sum.first())
                .put("file@3", sum.three())
                .put("file@5", sum.five())
                .put("evidence", sum.evidence())
                .put("seconds", sum.seconds());
          }
        });
    ArrayNode failures = json.putArray("failures");
    rows.stream()
        .filter(row -> !row.error().isEmpty())
        .forEach(
            row -> failures.addObject().put("id", row.question().id()).put("error", row.error()));
    return json.toString();
  }

  /** Tables: of all questions each stage, of each kind and tree what is cited. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    text.append(
        line(
            "%d questions of %s, %d failed: %,d prompt tokens, %.0f%% cached; right of all, by"
                + " stage",
            rows.size(),
            models.isEmpty() ? "no model" : String.join(", ", models),
            failed(),
            usage.promptTokens(),
            100 * cachedShare()));
    text.append(
        line(
            "%d rounds, %d quotes that stand nowhere left out, %d citations that stand nowhere",
            flow().rounds(), flow().dropped(), flow().unfounded()));
    text.append(
        line(
            "  %-44s %6s %6s %6s %8s %7s",
            "", "file@1", "file@3", "file@5", "evidence", "seconds"));
    for (Stage stage : Stage.values()) {
      text.append(row(stage.word(), sum(rows, stage)));
    }
    text.append(
        line("by kind and tree: cited, of as many; then bm25 and grep, file@1/@5/evidence"));
    groups()
        .forEach((name, group) -> {
          if (!name.equals("all")) {
            text.append(
                    row("%s (%d)".formatted(name, group.size()), sum(group, Stage.CITED))
                        .stripTrailing())
                .append(beside(sum(group, Stage.BM25)))
                .append(beside(sum(group, Stage.GREP)))
                .append('\n');
          }
        });
    rows.stream()
        .filter(row -> !row.error().isEmpty())
        .forEach(row -> text.append(line("%s failed: %s", row.question().id(), row.error())));
    return text.toString().stripTrailing();
  }

  private static String row(String name, Sum sum) {
    return line(
        "  %-44s %6d %6d %6d %8d %7.2f",
        name, sum.first(), sum.three(), sum.five(), sum.evidence(), sum.seconds());
  }

  private static String beside(Sum sum) {
    return "   %d/%d/%d".formatted(sum.first(), sum.five(), sum.evidence());
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values) + "\n";
  }
}
