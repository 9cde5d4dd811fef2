package dev.colony.replica.lexical;

import dev.colony.replica.lexical.AnalyzedPage.Line;
import dev.colony.replica.lexical.AnalyzedPage.Segment;
import dev.colony.replica.lexical.LineKinds.LineKind;
import dev.colony.replica.lexical.QueryTerms.Term;
import dev.colony.replica.lexical.QueryTerms.Vocabulary;
import dev.colony.vcm.mapping.Words;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Ranks the lines of a page by how well they answer a question. A line counts its own words in
 * full, and in part those of what it belongs to: the comment above a declaration, the declaration
 * below a comment, the method and the type around it, the file's name. Terms are weighted by their
 * rarity in code at large, never in the page, and the sum is divided by what a perfect match would
 * reach: so scores of different pages compare.
 */
final class EvidenceRanker {

  /**
   * A line with its score; about 0 to 1, more only where several fields repeat every term.
   *
   * @param at its place in {@link AnalyzedPage#lines}
   */
  record Ranked(Line line, String path, double score, int at) {

    /** The line with those around it that are shown with it, as far as the page has them. */
    List<Line> span(AnalyzedPage page) {
      return IntStream.rangeClosed(Math.max(0, at - BEFORE), at + AFTER)
          .limit(page.lines().size() - Math.max(0L, at - BEFORE))
          .mapToObj(page.lines()::get)
          .filter(near -> near.segment() == line.segment())
          .toList();
    }
  }

  /** What stands below a line says more of it than what stands above. */
  private static final int BEFORE = 1;

  private static final int AFTER = 3;

  private static final double NAME = 0.5;
  private static final double DOC_OF_DECLARATION = 0.6;
  private static final double NEIGHBOUR = 0.4;
  private static final int SUMMARY_LINES = 4;
  private static final double BELOW_SUMMARY = 0.5;
  private static final double DECLARED_BELOW = 0.4;
  private static final double METHOD_AROUND = 0.25;
  private static final double AROUND = 0.3;
  private static final double PARTIAL = 0.7;
  private static final double REPEATED = 0.1;
  private static final double WANTED_KIND = 1.15;
  private static final double WANTED_VALUE = 1.5;
  private static final double TEST = 0.8;
  private static final Pattern TEST_PATH = Pattern.compile("(?i)(^|/)tests?/|Tests?\\.\\w+$");
  private static final double LEAST_SCORE = 0.12;
  private static final double LEAST_OF_BEST = 0.3;
  private static final int MOST_OF_FILE = 8;

  private final AnalyzedPage page;
  private final QueryTerms query;
  private final List<Term> terms;

  /** For each stem of the page, how well it answers each term; null where it answers none. */
  private final double[][] answers;

  private final double[][] own;
  private final Map<Integer, double[]> docs = new HashMap<>();
  private final Map<Integer, double[]> names = new HashMap<>();

  private EvidenceRanker(AnalyzedPage page, QueryTerms query) {
    this.page = page;
    this.query = query;
    this.terms = query.terms();
    this.answers = new double[page.stems().size()][];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = answers(page.stems().get(i), page.families().get(i));
    }
    this.own = page.lines().stream().map(line -> combine(line.stems())).toArray(double[][]::new);
  }

  /**
   * The best lines, best first, at most {@code limit}: of a file those that come near its best one,
   * at most eight.
   */
  static List<Ranked> best(AnalyzedPage page, QueryTerms query, int limit) {
    if (query.terms().isEmpty()) {
      return List.of();
    }
    return new EvidenceRanker(page, query).best(limit);
  }

  private List<Ranked> best(int limit) {
    List<Line> lines = page.lines();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).kind() == LineKind.DOC) {
        double weight = summary(i) ? 1 : BELOW_SUMMARY;
        docs.merge(lines.get(i).declaration(), scaled(own[i], weight), EvidenceRanker::max);
      }
    }
    List<Ranked> ranked = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      double score = line.kind() == LineKind.BLANK ? 0 : score(i, line);
      if (score >= LEAST_SCORE) {
        ranked.add(new Ranked(line, page.segments().get(line.segment()).path(), score, i));
      }
    }
    ranked.sort(Comparator.comparingDouble((Ranked r) -> -r.score()));
    return spread(ranked, limit);
  }

  private double score(int at, Line line) {
    Segment segment = page.segments().get(line.segment());
    double[] found = own[at].clone();
    switch (line.kind()) {
      case TYPE, MEMBER -> {
        add(found, NAME, name(at));
        add(found, DOC_OF_DECLARATION, docs.get(at));
      }
      case DOC -> {
        add(found, NEIGHBOUR, neighbours(at));
        add(found, DECLARED_BELOW, name(line.declaration()));
      }
      case CODE, COMMENT -> add(found, METHOD_AROUND, name(line.declaration()));
      case PROSE, IMPORT, LICENCE, BLANK -> {}
    }
    double[] around = max(combine(segment.stems()), name(line.type()));
    add(found, AROUND, around);
    double sum = 0;
    for (int t = 0; t < found.length; t++) {
      sum += terms.get(t).rarity() * saturated(found[t]);
    }
    double weight = line.kind().weight * (TEST_PATH.matcher(segment.path()).find() ? TEST : 1);
    return weight * wanted(at, line) * sum / query.totalRarity();
  }

  /** A term counts once: what more fields add must not make up for a term that is missing. */
  private static double saturated(double x) {
    return x < 1 ? Math.pow(x, PARTIAL) : 1 + REPEATED * (x - 1);
  }

  /** By convention the first sentence of a comment says what the thing is for. */
  private boolean summary(int at) {
    int first = at - SUMMARY_LINES;
    return first < 0
        || page.lines().get(first).kind() != LineKind.DOC
        || page.lines().get(first).declaration() != page.lines().get(at).declaration();
  }

  /** What the lines right above and below in the same comment answer: sentences wrap. */
  private double[] neighbours(int at) {
    double[] found = new double[terms.size()];
    for (int near : new int[] {at - 1, at + 1}) {
      if (near >= 0
          && near < own.length
          && page.lines().get(near).kind() == LineKind.DOC
          && page.lines().get(near).declaration() == page.lines().get(at).declaration()) {
        found = max(found, own[near]);
      }
    }
    return found;
  }

  /** Lines that declare, or sum up, what the question asks to be named, or say its value. */
  private double wanted(int at, Line line) {
    LineKind kind = line.kind();
    if (kind == LineKind.DOC && summary(at)) {
      kind = page.lines().get(line.declaration()).kind();
    }
    boolean asked =
        switch (query.wanted()) {
          case TYPE -> kind == LineKind.TYPE;
          case MEMBER -> kind == LineKind.MEMBER;
          case VALUE -> LineKinds.setsAConstant(line.text());
          case ANYTHING -> false;
        };
    return asked ? (query.wanted() == QueryTerms.Wanted.VALUE ? WANTED_VALUE : WANTED_KIND) : 1;
  }

  private List<Ranked> spread(List<Ranked> ranked, int limit) {
    List<Ranked> best = new ArrayList<>();
    Map<String, Integer> perFile = new HashMap<>();
    Map<String, Double> bestOfFile = new HashMap<>();
    for (Ranked r : ranked) {
      if (best.size() == limit) {
        break;
      }
      double least = LEAST_OF_BEST * bestOfFile.computeIfAbsent(r.path(), path -> r.score());
      if (r.score() >= least && perFile.merge(r.path(), 1, Integer::sum) <= MOST_OF_FILE) {
        best.add(r);
      }
    }
    return best;
  }

  /** How well the name declared at a line answers each term. */
  private double[] name(int line) {
    return names.computeIfAbsent(
        line,
        l ->
            l < 0
                ? new double[terms.size()]
                : LineKinds.declaredName(page.lines().get(l).text())
                    .map(this::answersOfName)
                    .orElseGet(() -> new double[terms.size()]));
  }

  /** A name counts the more, the fewer of its parts the question does not ask for. */
  private double[] answersOfName(String name) {
    double[] found = new double[terms.size()];
    List<String> stems = Words.stems(name);
    int asked = 0;
    for (String stem : stems) {
      double[] answer = answers(stem, Vocabulary.family(stem));
      if (answer != null) {
        found = max(found, answer);
        asked++;
      }
    }
    int parts = Math.max(1, stems.size() - 1);
    return scaled(found, Math.sqrt(Math.min(1, (double) asked / parts)));
  }

  private double[] answers(String stem, String family) {
    double[] found = new double[terms.size()];
    boolean any = false;
    for (int t = 0; t < found.length; t++) {
      found[t] = terms.get(t).match(stem, family);
      any |= found[t] > 0;
    }
    return any ? found : null;
  }

  private double[] combine(int[] stems) {
    double[] found = new double[terms.size()];
    for (int stem : stems) {
      if (answers[stem] != null) {
        found = max(found, answers[stem]);
      }
    }
    return found;
  }

  private static double[] max(double[] a, double[] b) {
    double[] max = new double[a.length];
    for (int i = 0; i < max.length; i++) {
      max[i] = Math.max(a[i], b[i]);
    }
    return max;
  }

  private static double[] scaled(double[] a, double weight) {
    double[] scaled = new double[a.length];
    for (int i = 0; i < scaled.length; i++) {
      scaled[i] = weight * a[i];
    }
    return scaled;
  }

  private static void add(double[] sum, double weight, double[] more) {
    if (more != null) {
      for (int i = 0; i < sum.length; i++) {
        sum[i] += weight * more[i];
      }
    }
  }
}
