package dev.colony.vcm.graph;

import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Clusters of pages that lead to each other: label propagation (Raghavan, Albert and Kumara, 2007),
 * in the order of ids, so that equal graphs have equal clusters. Pure; takes up to 20 passes over
 * all edges.
 */
public final class LabelPropagation {

  private static final int MOST_PASSES = 20;

  private LabelPropagation() {}

  /** The clusters, the largest first; each page is in one of them. */
  public static List<TreeSet<PageId>> clusters(PageGraph graph, Instant now) {
    Map<PageId, Map<PageId, Double>> ties = bothWays(graph, now);
    Map<PageId, PageId> labels = new TreeMap<>();
    graph.pages().forEach(page -> labels.put(page, page));
    boolean changed = true;
    for (int pass = 0; changed && pass < MOST_PASSES; pass++) {
      changed = false;
      for (PageId page : labels.keySet()) {
        PageId label = heaviest(ties.getOrDefault(page, Map.of()), labels, labels.get(page));
        changed |= !label.equals(labels.put(page, label));
      }
    }
    Map<PageId, TreeSet<PageId>> clusters = new TreeMap<>();
    labels.forEach(
        (page, label) -> clusters.computeIfAbsent(label, key -> new TreeSet<>()).add(page));
    return clusters.values().stream()
        .sorted(
            Comparator.<TreeSet<PageId>>comparingInt(TreeSet::size)
                .reversed()
                .thenComparing(TreeSet::first))
        .toList();
  }

  private static Map<PageId, Map<PageId, Double>> bothWays(PageGraph graph, Instant now) {
    Map<PageId, Map<PageId, Double>> ties = new HashMap<>();
    for (PageId from : graph.pages()) {
      for (PageGraph.Neighbour to : graph.from(from, now)) {
        ties.computeIfAbsent(from, key -> new TreeMap<>())
            .merge(to.page(), to.weight(), Double::sum);
        ties.computeIfAbsent(to.page(), key -> new TreeMap<>())
            .merge(from, to.weight(), Double::sum);
      }
    }
    return ties;
  }

  /**
   * The label that most of a page's neighbours have by weight; of equal ones its own, or the first.
   */
  private static PageId heaviest(Map<PageId, Double> ties, Map<PageId, PageId> labels, PageId own) {
    TreeMap<PageId, Double> weights = new TreeMap<>();
    ties.forEach((page, weight) -> weights.merge(labels.get(page), weight, Double::sum));
    PageId best = own;
    double most = weights.getOrDefault(own, 0.0);
    for (Map.Entry<PageId, Double> label : weights.entrySet()) {
      if (label.getValue() > most) {
        best = label.getKey();
        most = label.getValue();
      }
    }
    return best;
  }
}
