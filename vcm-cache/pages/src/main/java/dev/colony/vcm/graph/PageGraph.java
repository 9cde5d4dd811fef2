package dev.colony.vcm.graph;

import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.grouping.PageRelations;
import dev.colony.vcm.settings.GraphSettings;
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

  private final GraphSettings settings;
  private final TreeMap<PageId, TreeMap<PageId, PageEdge>> edges = new TreeMap<>();

  /** Without any page. */
  public PageGraph(GraphSettings settings) {
    this.settings = settings;
  }

  /**
   * Of pages as their text has them belong together.
   *
   * @param pages in the reading order
   */
  public static PageGraph of(
      List<VirtualContextPage> pages, int threads, GraphSettings settings, Instant now) {
    PageGraph graph = new PageGraph(settings);
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
        out.put(page, before.learned(answer, now, settings));
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
    out.values().removeIf(edge -> edge.weight(now, settings) < settings.leastWeight());
    if (out.size() > settings.mostEdges()) {
      List<PageId> kept =
          sorted(out, now).stream().limit(settings.mostEdges()).map(Neighbour::page).toList();
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
    out.forEach((page, edge) -> all.add(new Neighbour(page, edge.weight(now, settings))));
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
        out.forEach((to, edge) -> all.add(new WeightedEdge(from, to, edge.weight(now, settings)))));
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
    return edge == null ? 0 : edge.weight(now, settings);
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
        mass += edge.weight(now, settings);
      }
    }
    return new Statistics(edges.size(), count, learned, mass);
  }
}
