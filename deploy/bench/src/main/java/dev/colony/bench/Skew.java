package dev.colony.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * How unevenly pages are dealt out to nodes: the first gets nine tenths of what the bound on a
 * node's load allows it, the others share the rest falling evenly. 60, 27 and 13 % for three nodes
 * and an imbalance of 2.
 */
final class Skew {

  private static final double OF_THE_BOUND = 0.9;

  private final List<Double> shares = new ArrayList<>();

  /**
   * @param nodes at least 2
   * @param imbalance the load that a node may hold, as a multiple of the average
   */
  Skew(int nodes, double imbalance) {
    double first = OF_THE_BOUND * Math.min(1, imbalance / nodes);
    int others = nodes - 1;
    double parts = others * (others + 1) / 2.0;
    shares.add(first);
    for (int part = others; part >= 1; part--) {
      shares.add((1 - first) * part / parts);
    }
  }

  double largest() {
    return shares.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
  }

  /** Which node gets so many tokens more, given what each holds: the one that lacks most. */
  int next(List<Long> held, long tokens) {
    long total = tokens + held.stream().mapToLong(Long::longValue).sum();
    int neediest = 0;
    for (int node = 1; node < shares.size(); node++) {
      if (lack(node, held, total) > lack(neediest, held, total)) {
        neediest = node;
      }
    }
    return neediest;
  }

  private double lack(int node, List<Long> held, long total) {
    return shares.get(node) * total - held.get(node);
  }
}
