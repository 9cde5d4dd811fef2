package dev.colony.vcm.graph;

import dev.colony.vcm.PageId;
import dev.colony.vcm.index.PageHit;
import dev.colony.vcm.settings.QuerySettings;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which pages a question is put to, in which order, and when it is enough.
 *
 * <p><b>Order.</b> By how likely each page answers, which {@link AnswerModel} learns from what the
 * index says of the page by the words of the question, and the graph by what leads there from the
 * asking page, or from the best hits where no page asks. So the order shifts to the graph as the
 * graph settles.
 *
 * <p><b>Enough.</b> At first a question is put to all pages. Once enough answers were seen, it is
 * put to the pages that are likely enough: as likely as all but a small share of the latest answers
 * (conformal prediction, in which older answers weigh less since the graph changes; Barber, Candes,
 * Ramdas and Tibshirani, 2023). Of all rules that find the same share of answers, a bound on the
 * likelihood asks fewest pages.
 *
 * <p><b>Exploration.</b> Some questions are still put to all pages: only such questions show which
 * answers the others miss, and only they are learned from. Their share falls with their number, as
 * for a greedy bandit whose exploration decays (Auer, Cesa-Bianchi and Fischer, 2002).
 *
 * <p>Deterministic; not thread-safe.
 */
public final class QueryRouter {

  /** Of reciprocal ranks: how little the first places stand out. */
  private static final double FUSION = 5;

  /** How fast the better ranking gains weight, and how much of the past counts. */
  private static final double RATE = 2;

  private static final double KEPT = 0.95;

  /** How much less an answer says of when it is enough than the one after it. */
  private static final double LASTING = 0.95;

  /** Pages that the graph ranks at most; a walk costs about as much as it visits. */
  private static final int MOST_FOLLOWED = 256;

  private static final int SEEDS = 3;

  private final QuerySettings settings;

  /** One weight for each feature, see {@link #features}: at first what the index says counts. */
  private final AnswerModel model = new AnswerModel(-6, 2, 3, -1, 1, 1, -0.5, 1, 0.5, 0.1);

  /** Features of the pages that answered, as they were when they were asked; the oldest first. */
  private final Deque<double[]> answers = new ArrayDeque<>();

  private final Map<PageId, Integer> answered = new HashMap<>();
  private double indexLoss;
  private double graphLoss;
  private long questions;
  private long explored;
  private long exploredAt;

  public QueryRouter(QuerySettings settings) {
    this.settings = settings;
  }

  /**
   * How much earlier the graph has had the pages that answered, 0 to 1; the index the rest (Hedge;
   * Freund and Schapire, 1997).
   */
  public double graphShare() {
    return 1 / (1 + Math.exp(RATE * (graphLoss - indexLoss)));
  }

  /** How likely a page must be to be asked; empty while all are asked. */
  public OptionalDouble threshold() {
    if (answers.size() < settings.settled()) {
      return OptionalDouble.empty();
    }
    record Weighted(double likelihood, double weight) {}
    List<Weighted> latest = new ArrayList<>();
    double weight = 1;
    double all = 1;
    for (var newest = answers.descendingIterator(); newest.hasNext(); weight *= LASTING) {
      latest.add(new Weighted(model.likelihood(newest.next()), weight));
      all += weight;
    }
    latest.sort(Comparator.comparingDouble(Weighted::likelihood));
    double missed = 0;
    for (Weighted answer : latest) {
      missed += answer.weight();
      if (missed > all * (1 - settings.recall())) {
        return OptionalDouble.of(answer.likelihood());
      }
    }
    return OptionalDouble.of(0);
  }

  private boolean explores() {
    long between = Math.min(settings.exploreRarest(), Math.max(settings.exploreEvery(), explored));
    return questions - exploredAt >= between;
  }

  /**
   * Begins with a question.
   *
   * @param from the page that asks, which is not asked itself
   * @param hits of the index, best first
   * @param resident whether some cache holds a page; among equals these go first
   */
  public Inquiry begin(
      PageGraph graph,
      Optional<PageId> from,
      List<PageHit> hits,
      Predicate<PageId> resident,
      Instant now) {
    questions++;
    Map<PageId, Integer> byIndex = new HashMap<>();
    Map<PageId, Double> scores = new HashMap<>();
    for (PageHit hit : hits) {
      if (graph.pages().contains(hit.page()) && !from.equals(Optional.of(hit.page()))) {
        byIndex.putIfAbsent(hit.page(), byIndex.size());
        scores.putIfAbsent(hit.page(), hit.score());
      }
    }
    List<PageId> seeds =
        from.map(List::of).orElse(hits.stream().map(PageHit::page).limit(SEEDS).toList());
    Traversal.Bounds bounds =
        new Traversal.Bounds(settings.depth(), MOST_FOLLOWED, 0, settings.absent());
    Map<PageId, Integer> byGraph = new HashMap<>();
    Map<PageId, Double> paths = new HashMap<>();
    for (Traversal.Visit visit :
        Traversal.walk(graph, seeds, Traversal.Strategy.BEST_FIRST, bounds, resident, now)) {
      if (!from.equals(Optional.of(visit.page()))) {
        byGraph.put(visit.page(), byGraph.size());
        paths.put(visit.page(), visit.weight());
      }
    }
    double best = scores.values().stream().mapToDouble(one -> one).max().orElse(1);
    List<Candidate> candidates = new ArrayList<>();
    for (PageId page : graph.pages()) {
      if (!from.equals(Optional.of(page))) {
        double[] features =
            features(
                graph.pages().size(),
                best == 0 ? 0 : scores.getOrDefault(page, 0.0) / best,
                Optional.ofNullable(byIndex.get(page)),
                paths.getOrDefault(page, 0.0),
                Optional.ofNullable(byGraph.get(page)),
                from.map(asking -> graph.weight(asking, page, now)).orElse(0.0),
                from.map(asking -> graph.weight(page, asking, now)).orElse(0.0),
                answered.getOrDefault(page, 0));
        candidates.add(new Candidate(page, features, model.likelihood(features)));
      }
    }
    candidates.sort(
        Comparator.comparingDouble(Candidate::likelihood)
            .reversed()
            .thenComparing(Candidate::page));
    OptionalDouble threshold = threshold();
    if (threshold.isPresent() && explores()) {
      exploredAt = questions;
      threshold = OptionalDouble.empty();
    }
    return new Inquiry(from, byIndex, byGraph, candidates, threshold);
  }

  private static double[] features(
      int pages,
      double score,
      Optional<Integer> indexRank,
      double path,
      Optional<Integer> graphRank,
      double edge,
      double back,
      int answered) {
    return new double[] {
      1,
      score,
      reciprocal(indexRank),
      depth(indexRank, pages),
      path,
      reciprocal(graphRank),
      depth(graphRank, pages),
      edge,
      back,
      Math.log1p(answered)
    };
  }

  private static double reciprocal(Optional<Integer> rank) {
    return rank.map(at -> FUSION / (FUSION + at)).orElse(0.0);
  }

  /** How far down a ranking has a page, 0 to 1. */
  private static double depth(Optional<Integer> rank, int pages) {
    return Math.log1p(rank.orElse(pages)) / Math.log1p(pages);
  }

  /** Learns from a question that has ended, and has the graph learn. */
  public void learn(Inquiry inquiry, PageGraph graph, Instant now) {
    // What was not asked may have answered, which would speak for what was held to be likely.
    if (inquiry.threshold.isEmpty() && inquiry.asked() == inquiry.order.size()) {
      explored++;
      for (Candidate candidate : inquiry.order) {
        boolean answer = inquiry.answered.contains(candidate.page());
        model.learn(candidate.features(), answer);
        if (answer) {
          answered.merge(candidate.page(), 1, Integer::sum);
          answers.addLast(candidate.features());
          if (answers.size() > settings.window()) {
            answers.removeFirst();
          }
        }
      }
      if (!inquiry.answered.isEmpty()) {
        indexLoss = KEPT * indexLoss + loss(inquiry, inquiry.byIndex);
        graphLoss = KEPT * graphLoss + loss(inquiry, inquiry.byGraph);
      }
    }
    inquiry.from.ifPresent(page -> graph.learn(page, inquiry.askedPages(), inquiry.answered, now));
  }

  private static double loss(Inquiry inquiry, Map<PageId, Integer> ranks) {
    int all = inquiry.order.size();
    return inquiry.answered.stream()
        .mapToDouble(page -> depth(Optional.ofNullable(ranks.get(page)), all))
        .average()
        .orElse(0);
  }

  /** A page that may be asked. */
  private record Candidate(PageId page, double[] features, double likelihood) {}

  /** One question under way: the caller puts it to a page after the other. Not thread-safe. */
  public static final class Inquiry {

    private final Optional<PageId> from;
    private final Map<PageId, Integer> byIndex;
    private final Map<PageId, Integer> byGraph;
    private final List<Candidate> order;

    /** Empty where all pages are asked. */
    private final OptionalDouble threshold;

    private final int planned;
    private final Set<PageId> answered = new LinkedHashSet<>();
    private int asked;

    private Inquiry(
        Optional<PageId> from,
        Map<PageId, Integer> byIndex,
        Map<PageId, Integer> byGraph,
        List<Candidate> order,
        OptionalDouble threshold) {
      this.from = from;
      this.byIndex = byIndex;
      this.byGraph = byGraph;
      this.order = order;
      this.threshold = threshold;
      this.planned =
          threshold.isEmpty()
              ? order.size()
              : (int)
                  Math.min(
                      order.size(),
                      Math.max(
                          1,
                          order.stream()
                              .filter(one -> one.likelihood() >= threshold.getAsDouble())
                              .count()));
    }

    /** The page to ask next; empty when it is enough. */
    public Optional<PageId> next() {
      return asked < planned ? Optional.of(order.get(asked).page()) : Optional.empty();
    }

    /** How many pages are asked: those that are likely enough, one at least where there is one. */
    public int planned() {
      return planned;
    }

    /** What came of asking {@link #next()}. */
    public void answered(boolean answer) {
      PageId page =
          next().orElseThrow(() -> new IllegalStateException("the question is over: " + asked));
      asked++;
      if (answer) {
        answered.add(page);
      }
    }

    /** All pages in the order in which they are asked, the first {@link #planned} of them. */
    public List<PageId> order() {
      return order.stream().map(Candidate::page).toList();
    }

    /** How many pages were asked. */
    public int asked() {
      return asked;
    }

    /** The pages that were asked, in their order. */
    public List<PageId> askedPages() {
      return order.subList(0, asked).stream().map(Candidate::page).toList();
    }

    /** Those that answered. */
    public List<PageId> answers() {
      return List.copyOf(answered);
    }
  }
}
