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
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which pages a question is put to, in which order, and when it is enough.
 *
 * <p><b>Order.</b> Two rankings are fused by the reciprocals of their ranks (Cormack, Clarke and
 * Buettcher, 2009): that of the index, by the words of the question, and that of the graph, by what
 * leads from the asking page on, or from the best hits where no page asks. How much each counts is
 * learned from where it had the pages that answered (Hedge; Freund and Schapire, 1997), so that the
 * mix shifts to the graph as the graph settles.
 *
 * <p><b>Enough.</b> At first a question is put to all pages. Once enough answers were seen, it ends
 * after as many pages in a row without an answer as all but a small share of answers came within.
 * One question of some is still put to all pages: only such questions show which answers the others
 * miss, and only they count for when it is enough.
 *
 * <p>Deterministic; not thread-safe.
 */
public final class QueryRouter {

  /** Of reciprocal ranks: how little the first places stand out. */
  private static final double FUSION = 5;

  /** How fast the better ranking gains weight, and how much of the past counts. */
  private static final double RATE = 2;

  private static final double KEPT = 0.95;

  /** Pages that the graph ranks at most; a walk costs about as much as it visits. */
  private static final int MOST_FOLLOWED = 256;

  private static final int SEEDS = 3;

  private final QuerySettings settings;
  private final Deque<Integer> gaps = new ArrayDeque<>();
  private double indexLoss;
  private double graphLoss;
  private long questions;

  public QueryRouter(QuerySettings settings) {
    this.settings = settings;
  }

  /** How much the graph counts, 0 to 1; the index counts the rest. */
  public double graphShare() {
    return 1 / (1 + Math.exp(RATE * (graphLoss - indexLoss)));
  }

  /** Pages in a row without an answer after which a question ends; empty while all are asked. */
  public Optional<Integer> patience() {
    if (gaps.size() < settings.settled()) {
      return Optional.empty();
    }
    List<Integer> sorted = gaps.stream().sorted().toList();
    int at = (int) Math.ceil((sorted.size() + 1) * settings.recall()) - 1;
    return Optional.of(sorted.get(Math.min(at, sorted.size() - 1)) + 1);
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
    hits.stream()
        .map(PageHit::page)
        .filter(page -> graph.pages().contains(page) && !from.equals(Optional.of(page)))
        .forEach(page -> byIndex.putIfAbsent(page, byIndex.size()));
    List<PageId> seeds =
        from.map(List::of).orElse(hits.stream().map(PageHit::page).limit(SEEDS).toList());
    Traversal.Bounds bounds =
        new Traversal.Bounds(settings.depth(), MOST_FOLLOWED, 0, settings.absent());
    Map<PageId, Integer> byGraph = new HashMap<>();
    Traversal.walk(graph, seeds, Traversal.Strategy.BEST_FIRST, bounds, resident, now).stream()
        .map(Traversal.Visit::page)
        .filter(page -> !from.equals(Optional.of(page)))
        .forEach(page -> byGraph.put(page, byGraph.size()));
    Optional<Integer> patience = patience();
    boolean explores = questions % settings.exploreEvery() == 0;
    return new Inquiry(
        from,
        byIndex,
        byGraph,
        fused(graph, from, byIndex, byGraph),
        patience.filter(misses -> !explores));
  }

  private List<PageId> fused(
      PageGraph graph,
      Optional<PageId> from,
      Map<PageId, Integer> byIndex,
      Map<PageId, Integer> byGraph) {
    double share = graphShare();
    Map<PageId, Double> scores = new HashMap<>();
    byIndex.forEach((page, rank) -> scores.merge(page, (1 - share) / (FUSION + rank), Double::sum));
    byGraph.forEach((page, rank) -> scores.merge(page, share / (FUSION + rank), Double::sum));
    List<PageId> order = new ArrayList<>(graph.pages());
    from.ifPresent(order::remove);
    order.sort(
        Comparator.<PageId>comparingDouble(page -> -scores.getOrDefault(page, 0.0))
            .thenComparing(Comparator.naturalOrder()));
    return order;
  }

  /** Learns from a question that has ended, and has the graph learn. */
  public void learn(Inquiry inquiry, PageGraph graph, Instant now) {
    // What was not asked may have answered, which would speak for the ranking that was followed.
    if (inquiry.patience.isEmpty()) {
      for (int gap : inquiry.gaps) {
        gaps.addLast(gap);
        if (gaps.size() > settings.window()) {
          gaps.removeFirst();
        }
      }
      if (!inquiry.answered.isEmpty()) {
        indexLoss = KEPT * indexLoss + loss(inquiry, inquiry.byIndex);
        graphLoss = KEPT * graphLoss + loss(inquiry, inquiry.byGraph);
      }
    }
    inquiry.from.ifPresent(page -> graph.learn(page, inquiry.asked, inquiry.answered, now));
  }

  /** How far down a ranking has the pages that answered, 0 to 1. */
  private static double loss(Inquiry inquiry, Map<PageId, Integer> ranks) {
    int all = inquiry.order.size();
    return inquiry.answered.stream()
        .mapToDouble(page -> Math.log1p(ranks.getOrDefault(page, all)) / Math.log1p(all))
        .average()
        .orElse(0);
  }

  /** One question under way: the caller puts it to a page after the other. Not thread-safe. */
  public static final class Inquiry {

    private final Optional<PageId> from;
    private final Map<PageId, Integer> byIndex;
    private final Map<PageId, Integer> byGraph;
    private final List<PageId> order;

    /** Empty where all pages are asked. */
    private final Optional<Integer> patience;

    private final Set<PageId> asked = new LinkedHashSet<>();
    private final Set<PageId> answered = new LinkedHashSet<>();
    private final List<Integer> gaps = new ArrayList<>();
    private int misses;

    private Inquiry(
        Optional<PageId> from,
        Map<PageId, Integer> byIndex,
        Map<PageId, Integer> byGraph,
        List<PageId> order,
        Optional<Integer> patience) {
      this.from = from;
      this.byIndex = byIndex;
      this.byGraph = byGraph;
      this.order = order;
      this.patience = patience;
    }

    /** The page to ask next; empty when it is enough. */
    public Optional<PageId> next() {
      boolean enough = patience.isPresent() && misses >= patience.get();
      return enough || asked.size() == order.size()
          ? Optional.empty()
          : Optional.of(order.get(asked.size()));
    }

    /** What came of asking {@link #next()}. */
    public void answered(boolean answer) {
      PageId page =
          next().orElseThrow(() -> new IllegalStateException("the question is over: " + asked));
      asked.add(page);
      if (answer) {
        answered.add(page);
        gaps.add(misses);
        misses = 0;
      } else {
        misses++;
      }
    }

    /** The pages that were asked, in their order. */
    public List<PageId> asked() {
      return List.copyOf(asked);
    }

    /** Those that answered. */
    public List<PageId> answers() {
      return List.copyOf(answered);
    }
  }
}
