package dev.colony.vcm.graph;

import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * How large a page graph is, and how it is made up.
 *
 * @param learned edges of which a question was answered
 * @param mass the sum of all weights
 * @param clusters how many there are, by {@link LabelPropagation}
 * @param largestClusters how many pages the largest of them have
 * @param central the most central pages, by {@link PageRank}
 */
public record GraphStatistics(
    int pages,
    long edges,
    long learned,
    double mass,
    int clusters,
    List<Integer> largestClusters,
    List<Central> central) {

  /** A page that much leads to. */
  public record Central(PageId page, double rank) {}

  public GraphStatistics {
    largestClusters = List.copyOf(largestClusters);
    central = List.copyOf(central);
  }

  /**
   * Takes up to 70 passes over all edges.
   *
   * @param shown how many clusters and central pages it tells of
   */
  public static GraphStatistics of(PageGraph graph, int shown, Instant now) {
    PageGraph.Statistics size = graph.statistics(now);
    List<TreeSet<PageId>> clusters = LabelPropagation.clusters(graph, now);
    return new GraphStatistics(
        size.pages(),
        size.edges(),
        size.learned(),
        size.mass(),
        clusters.size(),
        clusters.stream().limit(shown).map(TreeSet::size).toList(),
        PageRank.of(graph, now).entrySet().stream()
            .sorted(
                Comparator.comparingDouble((Map.Entry<PageId, Double> one) -> one.getValue())
                    .reversed()
                    .thenComparing(Map.Entry::getKey))
            .limit(shown)
            .map(one -> new Central(one.getKey(), one.getValue()))
            .toList());
  }
}
