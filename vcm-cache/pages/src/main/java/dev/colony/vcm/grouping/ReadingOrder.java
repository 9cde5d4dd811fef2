package dev.colony.vcm.grouping;

import dev.colony.vcm.source.SourceFile;
import dev.colony.vcm.work.Parallel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The order in which related files are neighbours: directory by directory, in it files that share a
 * stem together, in the order of stems. A small file that stands alone (an enum, an exception, an
 * option record) follows the file of its directory that names it most, by import or use, since it
 * says little by itself.
 */
final class ReadingOrder {

  /** A stem's files up to this many characters together may follow another stem. */
  private static final int SMALL_CHARS = 3_000;

  private ReadingOrder() {}

  /** The places of the files, each once; a file that follows another has that one's stem. */
  static List<FilePlace> of(List<SourceFile> files, int threads) {
    Map<List<String>, List<SourceFile>> directories = new HashMap<>();
    for (SourceFile file : files) {
      directories
          .computeIfAbsent(FilePlace.of(file.path()).directory(), key -> new ArrayList<>())
          .add(file);
    }
    List<List<String>> names = new ArrayList<>(directories.keySet());
    names.sort(Comparator.comparing(name -> String.join("\0", name)));
    return Parallel.map(threads, names, name -> order(directories.get(name))).stream()
        .flatMap(List::stream)
        .toList();
  }

  private static List<FilePlace> order(List<SourceFile> directory) {
    TreeMap<String, List<SourceFile>> stems = new TreeMap<>();
    for (SourceFile file : directory) {
      stems.computeIfAbsent(FilePlace.of(file.path()).stem(), key -> new ArrayList<>()).add(file);
    }
    Map<String, List<String>> followers = new TreeMap<>();
    Map<String, String> leaders = leaders(stems);
    leaders.forEach(
        (small, leader) -> followers.computeIfAbsent(leader, key -> new ArrayList<>()).add(small));
    List<FilePlace> ordered = new ArrayList<>();
    for (String stem : stems.keySet()) {
      if (!leaders.containsKey(stem)) {
        add(stems.get(stem), stem, ordered);
        followers
            .getOrDefault(stem, List.of())
            .forEach(small -> add(stems.get(small), stem, ordered));
      }
    }
    return ordered;
  }

  private static void add(List<SourceFile> files, String stem, List<FilePlace> ordered) {
    files.stream()
        .map(file -> FilePlace.of(file.path()))
        .sorted(
            Comparator.<FilePlace>comparingInt(place -> place.name().length())
                .thenComparing(FilePlace::path))
        .map(place -> place.withStem(stem))
        .forEach(ordered::add);
  }

  /** Which small stems follow which larger ones. */
  private static Map<String, String> leaders(TreeMap<String, List<SourceFile>> stems) {
    Map<String, Map<String, Integer>> naming = new TreeMap<>();
    stems.forEach((stem, files) -> {
      if (!small(files)) {
        Mentions.count(files, stems.keySet())
            .forEach((named, times) ->
                naming.computeIfAbsent(named, key -> new TreeMap<>()).put(stem, times));
      }
    });
    Map<String, String> leaders = new TreeMap<>();
    naming.forEach((named, by) -> {
      if (small(stems.get(named))) {
        by.entrySet().stream()
            .max(
                Map.Entry.<String, Integer>comparingByValue()
                    .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
            .ifPresent(most -> leaders.put(named, most.getKey()));
      }
    });
    return leaders;
  }

  private static boolean small(List<SourceFile> files) {
    return files.stream().mapToInt(file -> file.text().length()).sum() <= SMALL_CHARS;
  }
}
