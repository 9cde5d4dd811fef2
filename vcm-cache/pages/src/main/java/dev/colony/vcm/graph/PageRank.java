package dev.colony.vcm.graph;

import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How central pages are: PageRank over the weighted edges (Brin and Page, 1998). Pure; takes up to
 * 50 passes over all edges.
 */
public final class PageRank {

  private static final double FOLLOWED = 0.85;
  private static final int MOST_PASSES = 50;
  private static final double SETTLED = 1e-6;

  private PageRank() {}

  /** The rank of each page, all together 1; empty for a graph without pages. */
  public static Map<PageId, Double> of(PageGraph graph, Instant now) {
    List<PageId> pages = List.copyOf(graph.pages());
    int size = pages.size();
    Map<PageId, Integer> index = new HashMap<>();
    pages.forEach(page -> index.put(page, index.size()));
    int[][] to = new int[size][];
    double[][] shares = new double[size][];
    for (int from = 0; from < size; from++) {
      List<PageGraph.Neighbour> out = graph.from(pages.get(from), now);
      double sum = out.stream().mapToDouble(PageGraph.Neighbour::weight).sum();
      to[from] = out.stream().mapToInt(next -> index.get(next.page())).toArray();
      shares[from] = out.stream().mapToDouble(next -> sum == 0 ? 0 : next.weight() / sum).toArray();
    }
    double[] rank = new double[size];
    Arrays.fill(rank, 1.0 / Math.max(1, size));
    double moved = 1;
    for (int pass = 0; pass < MOST_PASSES && moved > SETTLED; pass++) {
      double[] next = pass(rank, to, shares);
      moved = 0;
      for (int i = 0; i < size; i++) {
        moved += Math.abs(next[i] - rank[i]);
      }
      rank = next;
    }
    Map<PageId, Double> ranks = new TreeMap<>();
    for (int i = 0; i < size; i++) {
      ranks.put(pages.get(i), rank[i]);
    }
    return ranks;
  }

  private static double[] pass(double[] rank, int[][] to, double[][] shares) {
    double[] next = new double[rank.length];
    double lost = 0;
    for (int from = 0; from < rank.length; from++) {
      double given = 0;
      for (int i = 0; i < to[from].length; i++) {
        next[to[from][i]] += FOLLOWED * rank[from] * shares[from][i];
        given += shares[from][i];
      }
      lost += rank[from] * (1 - FOLLOWED * given);
    }
    // What leads nowhere, and what is not followed, comes back to all pages alike.
    for (int i = 0; i < next.length; i++) {
      next[i] += lost / next.length;
    }
    return next;
  }
}
