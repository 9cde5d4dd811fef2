package dev.colony.vcm;

import dev.colony.vcm.VirtualContextPage.PageSegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which lines of which files are on which page of a map, both ways. Immutable; a look-up costs the
 * logarithm of the pages that a file is on.
 */
public final class PageLines {

  private record Run(int lastLine, PageId page) {}

  private final Map<PageId, List<PageSegment>> segments;
  private final Map<String, TreeMap<Integer, Run>> files = new HashMap<>();

  /** Of all pages of a map. */
  public PageLines(Map<PageId, List<PageSegment>> segments) {
    this.segments = new HashMap<>();
    segments.forEach((page, own) -> {
      this.segments.put(page, List.copyOf(own));
      for (PageSegment segment : own) {
        files
            .computeIfAbsent(segment.file(), key -> new TreeMap<>())
            .put(segment.firstLine(), new Run(segment.lastLine(), page));
      }
    });
  }

  /**
   * The page that a line is on; empty where no page has it.
   *
   * @param line counted from 1
   */
  public Optional<PageId> page(String file, int line) {
    Map.Entry<Integer, Run> run = files.getOrDefault(file, new TreeMap<>()).floorEntry(line);
    return run == null || run.getValue().lastLine() < line
        ? Optional.empty()
        : Optional.of(run.getValue().page());
  }

  /** The pages that a file is on, in the order of its lines; empty where no page has any. */
  public List<PageId> pages(String file) {
    List<PageId> pages = new ArrayList<>();
    files.getOrDefault(file, new TreeMap<>()).values().forEach(run -> pages.add(run.page()));
    return pages.stream().distinct().toList();
  }

  /** What is on a page, in its order; empty where it is none of the map's. */
  public List<PageSegment> lines(PageId page) {
    return segments.getOrDefault(page, List.of());
  }

  /** All files, in the order of their paths. */
  public Set<String> files() {
    Set<String> all = new TreeSet<>(Comparator.naturalOrder());
    all.addAll(files.keySet());
    return all;
  }
}
