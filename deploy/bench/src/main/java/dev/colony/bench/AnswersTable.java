package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.bench.KeyedQuestion.Verdict;
import dev.colony.bench.Trees.Tree;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What systems found, summed up: a row for each group of questions and each system. */
final class AnswersTable {

  /** Lines that count: as many as a person reads. */
  static final int LINES = 60;

  /** A way to find lines, or a stage of one. */
  enum Stage {
    /** The files in the order of the index; evidence: a page that is read holds a right line. */
    INDEX,
    /** The lines that the answer of a model cites. */
    CITED,
    /** The lines that a run without a model shows. */
    SEARCH,
    /** BM25 over whole files. */
    BM25,
    /** Files by how many different words of the question they have. */
    GREP;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What a system found for a question.
   *
   * @param fileF1 of the files that it named; empty where the key does not name all right ones
   * @param coverage the share of the right lines among the first {@value #LINES} that it showed;
   *     empty where the key does not name them
   * @param tokens of its prompts and replies; 0 where it asks no model
   * @param seconds that it took; 0 for a stage of another
   */
  record Score(
      Verdict verdict,
      OptionalDouble fileF1,
      OptionalDouble coverage,
      long tokens,
      double seconds) {

    static Score of(
        KeyedQuestion question, Tree tree, List<Found> found, long tokens, double seconds) {
      return new Score(
          question.judge(found),
          question.places().isEmpty() ? OptionalDouble.empty() : fileF1(question, tree, found),
          coverage(question, tree, found),
          tokens,
          seconds);
    }

    /** Twice what precision and recall have in common, by the sum of both. */
    private static OptionalDouble fileF1(KeyedQuestion question, Tree tree, List<Found> found) {
      Set<String> right = new HashSet<>(tree.files().keySet());
      right.removeIf(file -> !question.right(file));
      Set<String> named = new HashSet<>();
      found.forEach(line -> named.add(line.file()));
      int all = right.size() + named.size();
      named.retainAll(right);
      return OptionalDouble.of(all == 0 ? 0 : 2.0 * named.size() / all);
    }

    private static OptionalDouble coverage(KeyedQuestion question, Tree tree, List<Found> found) {
      Set<String> right = new HashSet<>();
      for (KeyedQuestion.Place place : question.places()) {
        tree.files()
            .forEach((file, lines) -> {
              int last = place.in(file) ? Math.min(place.last(), lines.size()) : 0;
              for (int line = Math.max(1, place.first()); line <= last; line++) {
                right.add(file + ":" + line);
              }
            });
      }
      Set<String> shown = new LinkedHashSet<>();
      for (Found lines : found) {
        for (int line = lines.line(); line <= lines.lastLine() && shown.size() < LINES; line++) {
          shown.add(lines.file() + ":" + line);
        }
      }
      shown.retainAll(right);
      return right.isEmpty()
          ? OptionalDouble.empty()
          : OptionalDouble.of((double) shown.size() / right.size());
    }
  }

  /** A question with what each system found for it. */
  record Row(KeyedQuestion question, Map<Stage, Score> scores) {}

  private AnswersTable() {}

  /** All questions, then by kind, then by tree; with the systems that were asked. */
  static ArrayNode of(List<Row> rows) {
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
    Set<Stage> stages = EnumSet.noneOf(Stage.class);
    rows.forEach(row -> stages.addAll(row.scores().keySet()));
    ArrayNode table = Report.object().putArray("table");
    groups.forEach((name, group) -> {
      for (Stage system : stages) {
        List<Score> scores = group.stream().map(row -> row.scores().get(system)).toList();
        add(scores, table.addObject().put("group", name).put("system", system.word()));
      }
    });
    return table;
  }

  private static void add(List<Score> scores, ObjectNode json) {
    json.put("questions", scores.size())
        .put("file@1", count(scores, Verdict::first))
        .put("file@3", count(scores, Verdict::three))
        .put("file@5", count(scores, Verdict::five))
        .put("evidence", count(scores, Verdict::evidence));
    mean(scores, Score::fileF1, "fileF1", json);
    mean(scores, Score::coverage, "lineCoverage", json);
    average(scores, Score::tokens, "tokens", json);
    average(scores, Score::seconds, "seconds", json);
  }

  private static long count(List<Score> scores, Function<Verdict, Boolean> right) {
    return scores.stream().map(Score::verdict).filter(right::apply).count();
  }

  private static void mean(
      List<Score> scores, Function<Score, OptionalDouble> figure, String name, ObjectNode json) {
    scores.stream()
        .map(figure)
        .flatMapToDouble(OptionalDouble::stream)
        .average()
        .ifPresent(mean -> json.put(name, Report.rounded(mean)));
  }

  private static void average(
      List<Score> scores, ToDoubleFunction<Score> figure, String name, ObjectNode json) {
    double mean = scores.stream().mapToDouble(figure).average().orElse(0);
    if (mean > 0) {
      json.put(name, Report.rounded(mean));
    }
  }
}
