package dev.colony.vcm.mapping;

import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which pages lead to which, weighted 0 to 1. Edges are directed: a page that asks leads to those
 * that answer. They begin with what the text says ({@link PageRelations}), are learned from
 * questions and their answers, fade to the text again, and are pruned. About 200 bytes an edge. Not
 * thread-safe.
 */
public final class PageGraph {

  /**
   * How a graph learns and forgets.
   *
   * @param halfLife after which half of what was learned is forgotten
   * @param prior answers that the text of the pages counts as
   * @param leastWeight edges below it are pruned
   * @param mostEdges of a page; the lightest are pruned
   */
  record Bounds(Duration halfLife, double prior, double leastWeight, int mostEdges) {

    static final Bounds USUAL = new Bounds(Duration.ofDays(30), 2, 0.02, 64);
  }

  private final Bounds bounds;
  private final TreeMap<PageId, TreeMap<PageId, PageEdge>> edges = new TreeMap<>();

  /** Without any page. */
  public PageGraph() {
    this(Bounds.USUAL);
  }

  PageGraph(Bounds bounds) {
    this.bounds = bounds;
  }

  /**
   * Of pages as their text has them belong together.
   *
   * @param pages in the reading order
   */
  public static PageGraph of(List<VirtualContextPage> pages, int threads, Instant now) {
    PageGraph graph = new PageGraph();
    graph.layOut(pages, threads, now);
    return graph;
  }

  /**
   * Lays pages out, as after a source was mapped again: pages that are not among them go, with all
   * edges to them; what was learned of the others stays.
   */
  public void layOut(List<VirtualContextPage> pages, int threads, Instant now) {
    Set<PageId> there = new HashSet<>();
    pages.forEach(page -> there.add(page.id()));
    edges.keySet().retainAll(there);
    edges.values().forEach(to -> to.keySet().retainAll(there));
    there.forEach(page -> edges.computeIfAbsent(page, key -> new TreeMap<>()));
    Map<PageId, Map<PageId, Double>> relations = PageRelations.of(pages, threads);
    edges.forEach((from, to) -> {
      Map<PageId, Double> closeness = relations.getOrDefault(from, Map.of());
      to.replaceAll((page, edge) ->
          new PageEdge(
              closeness.getOrDefault(page, 0.0), edge.asked(), edge.answered(), edge.at()));
      closeness.forEach((page, layout) -> to.putIfAbsent(page, PageEdge.laidOut(layout, now)));
    });
    prune(now);
  }

  /** Adds a page without edges; one that is there stays as it is. */
  public void add(PageId page) {
    edges.computeIfAbsent(page, key -> new TreeMap<>());
  }

  /** Puts an edge back as it was stored; pages that are unknown are added. */
  public void restore(PageId from, PageId to, PageEdge edge) {
    add(to);
    add(from);
    edges.get(from).put(to, edge);
  }

  /**
   * Learns from one question of a page: which pages it was put to, and which of them answered. Of
   * pages that are unknown, and of the asking page itself, nothing is learned.
   *
   * @param answered those of {@code asked} that had an answer
   */
  public void learn(
      PageId from, Collection<PageId> asked, Collection<PageId> answered, Instant now) {
    TreeMap<PageId, PageEdge> out = edges.get(from);
    if (out == null) {
      return;
    }
    for (PageId page : new TreeSet<>(asked)) {
      boolean answer = answered.contains(page);
      PageEdge edge = out.get(page);
      // What was never expected and did not come need not be remembered.
      if (!page.equals(from) && edges.containsKey(page) && (answer || edge != null)) {
        PageEdge before = edge == null ? PageEdge.laidOut(0, now) : edge;
        out.put(page, before.learned(answer, now, bounds));
      }
    }
    prune(out, now);
  }

  /**
   * Gives an edge a weight, as if the text said so and nothing was learned: until the source is
   * mapped again, or questions teach otherwise. Of pages that are unknown, and of a page to itself,
   * nothing is done.
   *
   * @param weight 0 to 1; too light an edge goes
   */
  public void update(PageId from, PageId to, double weight, Instant now) {
    TreeMap<PageId, PageEdge> out = edges.get(from);
    if (out != null && edges.containsKey(to) && !from.equals(to)) {
      out.put(to, PageEdge.laidOut(weight, now));
      prune(out, now);
    }
  }

  /** Drops the edges that are too light by now. */
  public void prune(Instant now) {
    edges.values().forEach(out -> prune(out, now));
  }

  private void prune(TreeMap<PageId, PageEdge> out, Instant now) {
    out.values().removeIf(edge -> edge.weight(now, bounds) < bounds.leastWeight());
    if (out.size() > bounds.mostEdges()) {
      List<PageId> kept =
          sorted(out, now).stream().limit(bounds.mostEdges()).map(Neighbour::page).toList();
      out.keySet().retainAll(new HashSet<>(kept));
    }
  }

  /** All pages, in the order of their ids. */
  public SortedSet<PageId> pages() {
    return Collections.unmodifiableSortedSet(edges.navigableKeySet());
  }

  /** A page that another leads to. */
  public record Neighbour(PageId page, double weight) {}

  /** The pages that a page leads to, the heaviest first; none of a page that is unknown. */
  public List<Neighbour> from(PageId page, Instant now) {
    return sorted(edges.getOrDefault(page, new TreeMap<>()), now);
  }

  private List<Neighbour> sorted(Map<PageId, PageEdge> out, Instant now) {
    List<Neighbour> all = new ArrayList<>();
    out.forEach((page, edge) -> all.add(new Neighbour(page, edge.weight(now, bounds))));
    all.sort(
        Comparator.comparingDouble(Neighbour::weight).reversed().thenComparing(Neighbour::page));
    return all;
  }

  /** An edge as it weighs. */
  public record WeightedEdge(PageId from, PageId to, double weight) {}

  /** The heaviest edges, at most so many. */
  public List<WeightedEdge> heaviest(int most, Instant now) {
    List<WeightedEdge> all = new ArrayList<>();
    edges.forEach((from, out) ->
        out.forEach((to, edge) -> all.add(new WeightedEdge(from, to, edge.weight(now, bounds)))));
    all.sort(
        Comparator.comparingDouble(WeightedEdge::weight)
            .reversed()
            .thenComparing(WeightedEdge::from)
            .thenComparing(WeightedEdge::to));
    return List.copyOf(all.subList(0, Math.min(most, all.size())));
  }

  /** The edges that begin at a page, as they were last changed; none of a page that is unknown. */
  public Map<PageId, PageEdge> edges(PageId from) {
    return Collections.unmodifiableMap(edges.getOrDefault(from, new TreeMap<>()));
  }

  /** The weight of an edge, 0 where there is none. */
  public double weight(PageId from, PageId to, Instant now) {
    PageEdge edge = edges(from).get(to);
    return edge == null ? 0 : edge.weight(now, bounds);
  }

  /**
   * How large it is.
   *
   * @param learned edges of which a question was answered
   * @param mass the sum of all weights
   */
  public record Statistics(int pages, long edges, long learned, double mass) {}

  public Statistics statistics(Instant now) {
    long count = 0;
    long learned = 0;
    double mass = 0;
    for (TreeMap<PageId, PageEdge> out : edges.values()) {
      count += out.size();
      for (PageEdge edge : out.values()) {
        learned += edge.answered() > 0 ? 1 : 0;
        mass += edge.weight(now, bounds);
      }
    }
    return new Statistics(edges.size(), count, learned, mass);
  }

  /**
   * What is known of whether one page answers what another asks.
   *
   * @param layout how closely the two belong together as their text says, 0 to 1
   * @param asked how often the one was asked, older questions counting less
   * @param answered how often it had an answer, likewise; at most {@code asked}
   * @param at the time for which both hold
   */
  public record PageEdge(double layout, double asked, double answered, Instant at) {

    public PageEdge {
      if (!(layout >= 0 && layout <= 1) || !(answered >= 0 && answered <= asked)) {
        throw new IllegalArgumentException(
            "an edge of layout %s with %s answers of %s".formatted(layout, answered, asked));
      }
    }

    static PageEdge laidOut(double layout, Instant at) {
      return new PageEdge(layout, 0, 0, at);
    }

    /** The same with one more question, answered or not. */
    PageEdge learned(boolean answer, Instant now, PageGraph.Bounds bounds) {
      PageEdge faded = at(now, bounds);
      return new PageEdge(layout, faded.asked + 1, faded.answered + (answer ? 1 : 0), faded.at);
    }

    /** The same at a later time; an earlier one changes nothing. */
    PageEdge at(Instant now, PageGraph.Bounds bounds) {
      if (!now.isAfter(at)) {
        return this;
      }
      double left = Math.pow(0.5, seconds(Duration.between(at, now)) / seconds(bounds.halfLife()));
      return new PageEdge(layout, asked * left, answered * left, now);
    }

    /** How likely an answer is, 0 to 1: what was learned, and the layout as so many answers. */
    double weight(Instant now, PageGraph.Bounds bounds) {
      PageEdge faded = at(now, bounds);
      return (bounds.prior() * layout + faded.answered) / (bounds.prior() + faded.asked);
    }

    private static double seconds(Duration time) {
      return time.toNanos() / 1e9;
    }
  }
}
