package dev.colony.cli;

import dev.colony.cli.terminal.Printable;
import dev.colony.vcm.PageId;
import dev.colony.vcm.graph.PageGraph.WeightedEdge;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Draws a page graph as SVG: laid out by forces (Fruchterman and Reingold, 1991), in which pages
 * repel each other and edges pull by their weight, from a circle in the order of the ids, so that
 * equal graphs are drawn alike. A few hundred pages take about a second.
 */
final class GraphDrawing {

  private static final int PASSES = 300;
  private static final double SIDE = 1_000;
  private static final double MARGIN = 60;

  private final List<WeightedEdge> edges;
  private final Map<PageId, String> labels;
  private final List<PageId> pages;
  private final Map<PageId, Integer> index = new TreeMap<>();
  private final double[] x;
  private final double[] y;

  /**
   * @param labels of the pages that edges begin or end at
   */
  GraphDrawing(List<WeightedEdge> edges, Map<PageId, String> labels) {
    this.edges = edges;
    this.labels = labels;
    this.pages = List.copyOf(new TreeMap<>(labels).keySet());
    pages.forEach(page -> index.put(page, index.size()));
    this.x = new double[pages.size()];
    this.y = new double[pages.size()];
    for (int i = 0; i < x.length; i++) {
      double angle = 2 * Math.PI * i / x.length;
      x[i] = SIDE / 2 * (1 + 0.8 * Math.cos(angle));
      y[i] = SIDE / 2 * (1 + 0.8 * Math.sin(angle));
    }
  }

  private void layOut() {
    double ideal = SIDE / Math.sqrt(Math.max(1, x.length));
    for (int pass = 0; pass < PASSES; pass++) {
      double[] dx = new double[x.length];
      double[] dy = new double[x.length];
      for (int i = 0; i < x.length; i++) {
        for (int j = i + 1; j < x.length; j++) {
          double distance = distance(i, j);
          push(i, j, ideal * ideal / distance / distance, dx, dy);
        }
      }
      for (WeightedEdge edge : edges) {
        int from = index.get(edge.from());
        int to = index.get(edge.to());
        push(from, to, -edge.weight() * distance(from, to) / ideal, dx, dy);
      }
      double step = SIDE / 10 * (1 - (double) pass / PASSES);
      for (int i = 0; i < x.length; i++) {
        double length = Math.max(1e-9, Math.hypot(dx[i], dy[i]));
        x[i] = within(x[i] + dx[i] / length * Math.min(length, step));
        y[i] = within(y[i] + dy[i] / length * Math.min(length, step));
      }
    }
  }

  private double distance(int i, int j) {
    return Math.max(1, Math.hypot(x[i] - x[j], y[i] - y[j]));
  }

  /** Moves the one from the other along their difference; the other way below zero. */
  private void push(int i, int j, double force, double[] dx, double[] dy) {
    // Two in one place have no direction: their numbers give one.
    double alongX = x[i] == x[j] && y[i] == y[j] ? i - j : x[i] - x[j];
    double alongY = y[i] - y[j];
    dx[i] += alongX * force;
    dy[i] += alongY * force;
    dx[j] -= alongX * force;
    dy[j] -= alongY * force;
  }

  private static double within(double place) {
    return Math.min(SIDE - MARGIN, Math.max(MARGIN, place));
  }

  /** The whole document. */
  String svg() {
    layOut();
    List<String> lines = new ArrayList<>();
    lines.add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-size=\"9\">"
            .formatted(SIDE, SIDE));
    lines.add("<style>line{stroke:#4a6fa5}circle{fill:#d9822b}text{fill:#222}</style>");
    for (WeightedEdge edge : edges) {
      int from = index.get(edge.from());
      int to = index.get(edge.to());
      lines.add(
          line(
              "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-width=\"%.2f\""
                  + " opacity=\"%.2f\"/>",
              x[from], y[from], x[to], y[to], 0.5 + 2 * edge.weight(), 0.2 + 0.8 * edge.weight()));
    }
    for (PageId page : pages) {
      int at = index.get(page);
      lines.add(
          line(
              "<g><title>%s</title><circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/><text x=\"%.1f\""
                  + " y=\"%.1f\">%s</text></g>",
              page, x[at], y[at], x[at] + 6, y[at] + 3, escaped(labels.get(page))));
    }
    lines.add("</svg>");
    return String.join("\n", lines);
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  private static String escaped(String label) {
    return Printable.of(label).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
