package dev.colony.vcm.mapping;

import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.MappedFile.FilePlace;
import dev.colony.vcm.source.CoChange;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How closely pages belong together as their text says: by the imports and names of files that
 * stand in it, and by their places in the reading order.
 *
 * <p>A page that names a file belongs with the pages that hold it, the more often it names it, and
 * the fewer other pages do: a name that stands everywhere tells little. Next pages of one file, or
 * of files of one stem, belong together both ways.
 */
public final class PageRelations {

  /**
   * Uses of a name by which two pages belong together by about two thirds; an import counts five.
   */
  private static final double USES = 5;

  /** Neighbours in the order that are more loosely tied than this have nothing in common. */
  private static final double LOOSE = 0.7;

  private PageRelations() {}

  /**
   * Per page the pages that it belongs with, and how closely: more than 0, at most 1. One that
   * belongs with none is left out. Costs about as much as reading the text once per thread.
   *
   * @param pages in the reading order, as {@link PageMapper} gives them
   */
  public static Map<PageId, Map<PageId, Double>> of(List<VirtualContextPage> pages, int threads) {
    Map<String, Set<PageId>> holders = holders(pages);
    Mentions names = new Mentions(holders.keySet());
    List<Map<String, Integer>> mentions =
        Parallel.map(threads, pages, page -> names.in(page.text()));
    Map<String, Integer> spread = new HashMap<>();
    mentions.forEach(one -> one.keySet().forEach(stem -> spread.merge(stem, 1, Integer::sum)));
    Map<PageId, Map<PageId, Double>> relations = new TreeMap<>();
    for (int at = 0; at < pages.size(); at++) {
      PageId page = pages.get(at).id();
      mentions
          .get(at)
          .forEach((stem, times) -> {
            Set<PageId> named = holders.get(stem);
            double closeness =
                (1 - Math.exp(-times / USES))
                    * rarity(spread.get(stem), pages.size())
                    / Math.sqrt(named.size());
            named.forEach(other -> relate(relations, page, other, closeness));
          });
      if (at > 0) {
        PageId before = pages.get(at - 1).id();
        double looseness = Tie.looseness(end(pages.get(at - 1)), beginning(pages.get(at)));
        if (looseness <= LOOSE) {
          relate(relations, before, page, 1 - looseness);
          relate(relations, page, before, 1 - looseness);
        }
      }
    }
    return relations;
  }

  /** The pages on which the files of each stem stand. */
  private static Map<String, Set<PageId>> holders(List<VirtualContextPage> pages) {
    Map<String, Set<PageId>> holders = new HashMap<>();
    for (VirtualContextPage page : pages) {
      for (String stem :
          page.segments().stream()
              .map(segment -> FilePlace.of(segment.file()).stem())
              .collect(Collectors.toSet())) {
        holders.computeIfAbsent(stem, key -> new LinkedHashSet<>()).add(page.id());
      }
    }
    return holders;
  }

  /** 1 for a name that one page has, near 0 for one that all have. */
  private static double rarity(int mentioning, int pages) {
    return Math.log(1 + (double) pages / mentioning) / Math.log(1 + pages);
  }

  private static void relate(
      Map<PageId, Map<PageId, Double>> relations, PageId from, PageId to, double closeness) {
    if (!from.equals(to) && closeness > 0) {
      relations.computeIfAbsent(from, key -> new TreeMap<>()).merge(to, closeness, Math::max);
    }
  }

  private static FilePlace beginning(VirtualContextPage page) {
    return place(page.segments().getFirst());
  }

  private static FilePlace end(VirtualContextPage page) {
    return place(page.segments().getLast());
  }

  private static FilePlace place(PageSegment segment) {
    return FilePlace.of(segment.file());
  }

  /** How loosely neighbouring files are tied, 0 (one file) to 1 (nothing in common). */
  static final class Tie {

    private Tie() {}

    /** By their places alone. */
    static double looseness(FilePlace left, FilePlace right) {
      return looseness(left, right, CoChange.NONE);
    }

    /** By their places, and by how often they were changed together. */
    static double looseness(FilePlace left, FilePlace right, CoChange coChange) {
      if (left.path().equals(right.path())) {
        return 0.1;
      }
      if (!left.directory().equals(right.directory())) {
        List<String> a = left.directory();
        List<String> b = right.directory();
        int shared = 0;
        while (shared < Math.min(a.size(), b.size()) && a.get(shared).equals(b.get(shared))) {
          shared++;
        }
        return 0.8 + 0.2 / (1 + shared);
      }
      if (left.stem().equals(right.stem())) {
        return 0;
      }
      double named = sharedStart(left.stem(), right.stem());
      return 0.3 - 0.2 * Math.max(named, coChange.closeness(left.path(), right.path()));
    }

    /** What share of the longer name both begin with. */
    private static double sharedStart(String left, String right) {
      int shared = 0;
      int shorter = Math.min(left.length(), right.length());
      while (shared < shorter && left.charAt(shared) == right.charAt(shared)) {
        shared++;
      }
      return (double) shared / Math.max(1, Math.max(left.length(), right.length()));
    }
  }
}
