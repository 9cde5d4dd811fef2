package dev.colony.bench.query;

import dev.colony.vcm.PageId;
import dev.colony.vcm.graph.LabelPropagation;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.graph.PageRank;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * How much of a prompt of several pages begins as an earlier prompt did, where all prompts have
 * their pages in one order: what an endless cache of chained prefixes would hold of it.
 *
 * @param sizes tokens of each page
 * @param prompts pages of each, one after another in time
 */
record PromptOrders(Map<PageId, Integer> sizes, List<List<PageId>> prompts) {

  PromptOrders {
    sizes = Map.copyOf(sizes);
    prompts = List.copyOf(prompts);
  }

  /** The share of all tokens that stands in the longest beginning that some earlier prompt had. */
  double cached(Comparator<PageId> order) {
    Set<List<PageId>> known = new HashSet<>();
    long hit = 0;
    long all = 0;
    for (List<PageId> pages : prompts) {
      List<PageId> prompt = pages.stream().sorted(order).toList();
      for (int end = 1; end <= prompt.size(); end++) {
        int size = sizes.get(prompt.get(end - 1));
        hit += known.add(prompt.subList(0, end)) ? 0 : size;
        all += size;
      }
    }
    return (double) hit / Math.max(1, all);
  }

  /** The share that the earlier prompt has that has most of the pages: no order comes to more. */
  double most() {
    List<Set<PageId>> earlier = new ArrayList<>();
    long common = 0;
    long all = 0;
    for (List<PageId> pages : prompts) {
      common +=
          earlier.stream()
              .mapToLong(one -> pages.stream().filter(one::contains).mapToLong(sizes::get).sum())
              .max()
              .orElse(0);
      all += pages.stream().mapToLong(sizes::get).sum();
      earlier.add(new HashSet<>(pages));
    }
    return (double) common / Math.max(1, all);
  }

  /**
   * Orders of pages, by their names.
   *
   * @param reading all pages in the order of the map
   * @param read how often each page was in a prompt before
   */
  static Map<String, Comparator<PageId>> orders(
      List<PageId> reading, Map<PageId, Integer> read, PageGraph graph, Instant now) {
    Map<String, Comparator<PageId>> orders = new LinkedHashMap<>();
    orders.put("by their ids", Comparator.naturalOrder());
    Map<PageId, Integer> place = new HashMap<>();
    reading.forEach(page -> place.put(page, place.size()));
    orders.put("of the map", Comparator.comparingInt(place::get));
    Map<PageId, Integer> cluster = new HashMap<>();
    int number = 0;
    for (TreeSet<PageId> one : LabelPropagation.clusters(graph, now)) {
      for (PageId page : one) {
        cluster.put(page, number);
      }
      number++;
    }
    Map<PageId, Double> rank = PageRank.of(graph, now);
    orders.put("by cluster and centrality in the graph", byMost(rank, cluster));
    Map<PageId, Double> answers = new HashMap<>();
    for (PageId from : graph.pages()) {
      graph.edges(from).forEach((to, edge) -> answers.merge(to, edge.answered(), Double::sum));
    }
    orders.put("by answers in the graph", byMost(answers, Map.of()));
    Map<PageId, Double> times = new HashMap<>();
    read.forEach((page, count) -> times.put(page, (double) count));
    orders.put("by how often they were read", byMost(times, Map.of()));
    return orders;
  }

  private static Comparator<PageId> byMost(Map<PageId, Double> most, Map<PageId, Integer> cluster) {
    return Comparator.<PageId>comparingInt(page -> cluster.getOrDefault(page, 0))
        .thenComparingDouble(page -> -most.getOrDefault(page, 0.0))
        .thenComparing(Comparator.naturalOrder());
  }
}
