package dev.colony.vcm.mapping;

import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Walks over a page graph. Pure; each visits a page once. */
public final class Traversal {

  private Traversal() {}

  /** In which order pages are visited. */
  public enum Strategy {
    /** All pages one edge away, then all two away. */
    BREADTH_FIRST,
    /** The page whose path from the beginning is the heaviest, as the product of its edges. */
    BEST_FIRST
  }

  /**
   * How far a walk goes.
   *
   * @param depth edges from the beginning, 0 to 64
   * @param pages that are visited at most, those of the beginning included, 1 to 100,000
   * @param leastWeight paths that are lighter are not followed, 0 to 1
   * @param absent what the weight of a page that no cache holds is multiplied by, 0 to 1; 1 where
   *     it makes no difference. It has no say in how a walk goes on from such a page
   */
  public record Bounds(int depth, int pages, double leastWeight, double absent) {
    public Bounds {
      check("depth", depth, 0, 64);
      check("pages", pages, 1, 100_000);
      check("least weight", leastWeight, 0, 1);
      check("absent", absent, 0, 1);
    }

    private static void check(String what, double value, double least, double most) {
      if (!(value >= least && value <= most)) {
        throw new IllegalArgumentException(
            "the %s of a traversal is %s, must be %s to %s".formatted(what, value, least, most));
      }
    }
  }

  /**
   * A page that was visited.
   *
   * @param depth edges from the beginning
   * @param weight of the heaviest path that was found to it, 1 at the beginning
   */
  public record Visit(PageId page, int depth, double weight) {}

  /** A page whose turn may come, and how soon. */
  private record Candidate(Visit visit, double rank) {}

  /**
   * Walks from some pages on.
   *
   * @param from unknown ones are left out
   * @param resident whether some cache holds a page; among equally near ones these go first
   * @return the pages visited, in their order
   */
  public static List<Visit> walk(
      PageGraph graph,
      Collection<PageId> from,
      Strategy strategy,
      Bounds bounds,
      Predicate<PageId> resident,
      Instant now) {
    List<PageId> beginning = new TreeSet<>(from).stream().filter(graph.pages()::contains).toList();
    return switch (strategy) {
      case BREADTH_FIRST -> breadthFirst(graph, beginning, bounds, resident, now);
      case BEST_FIRST -> bestFirst(graph, beginning, bounds, resident, now);
    };
  }

  private static List<Visit> breadthFirst(
      PageGraph graph, List<PageId> from, Bounds bounds, Predicate<PageId> resident, Instant now) {
    Map<PageId, Visit> visited = new LinkedHashMap<>();
    ArrayDeque<Visit> open = new ArrayDeque<>();
    from.forEach(page -> open.add(new Visit(page, 0, 1)));
    Set<PageId> seen = new HashSet<>(from);
    while (!open.isEmpty() && visited.size() < bounds.pages()) {
      Visit here = open.poll();
      visited.put(here.page(), here);
      if (here.depth() < bounds.depth()) {
        next(graph, here, bounds, resident, now).stream()
            .map(Candidate::visit)
            .filter(visit -> seen.add(visit.page()))
            .forEach(open::add);
      }
    }
    return List.copyOf(visited.values());
  }

  private static List<Visit> bestFirst(
      PageGraph graph, List<PageId> from, Bounds bounds, Predicate<PageId> resident, Instant now) {
    Map<PageId, Visit> visited = new LinkedHashMap<>();
    PriorityQueue<Candidate> open = new PriorityQueue<>(NEAREST);
    from.forEach(page -> open.add(new Candidate(new Visit(page, 0, 1), 1)));
    while (!open.isEmpty() && visited.size() < bounds.pages()) {
      Visit here = open.poll().visit();
      if (visited.putIfAbsent(here.page(), here) == null && here.depth() < bounds.depth()) {
        next(graph, here, bounds, resident, now).stream()
            .filter(candidate -> !visited.containsKey(candidate.visit().page()))
            .forEach(open::add);
      }
    }
    return List.copyOf(visited.values());
  }

  private static final Comparator<Candidate> NEAREST =
      Comparator.comparingDouble(Candidate::rank)
          .reversed()
          .thenComparing(candidate -> candidate.visit().page());

  /** The pages one edge further, the nearest first. */
  private static List<Candidate> next(
      PageGraph graph, Visit here, Bounds bounds, Predicate<PageId> resident, Instant now) {
    List<Candidate> next = new ArrayList<>();
    for (PageGraph.Neighbour to : graph.from(here.page(), now)) {
      double weight = here.weight() * to.weight();
      if (weight < bounds.leastWeight()) {
        break;
      }
      double rank = resident.test(to.page()) ? weight : weight * bounds.absent();
      next.add(new Candidate(new Visit(to.page(), here.depth() + 1, weight), rank));
    }
    next.sort(NEAREST);
    return next;
  }
}
