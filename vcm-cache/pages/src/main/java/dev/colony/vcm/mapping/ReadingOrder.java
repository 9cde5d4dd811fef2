package dev.colony.vcm.mapping;

import dev.colony.vcm.mapping.MappedFile.FilePlace;
import dev.colony.vcm.source.CoChange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The order in which related files are neighbours: directory by directory, in it files that share a
 * stem together, in the order of stems. A small file that stands alone (an enum, an exception, an
 * option record) follows the file of its directory that names it most, by import or use, since it
 * says little by itself; being changed together counts as being named. Larger files that mostly
 * change together follow each other, too.
 *
 * <p>A directory of the very files that an earlier order had keeps that order's, which costs a
 * comparison. Immutable.
 */
final class ReadingOrder {

  /** A stem's files up to this many characters together may follow another stem. */
  private static final int SMALL_CHARS = 3_000;

  /** A change of both files counts as so many uses of the name of one in the other. */
  private static final int USES_PER_CHANGE = 2;

  /** Larger files follow each other where more of their changes than this share were of both. */
  private static final double MOSTLY = 0.5;

  /** Of no files. */
  static final ReadingOrder EMPTY = new ReadingOrder(CoChange.NONE, Map.of(), List.of());

  private final CoChange coChange;
  private final Map<List<String>, Directory> directories;
  private final List<Placed> files;

  private ReadingOrder(
      CoChange coChange, Map<List<String>, Directory> directories, List<Placed> files) {
    this.coChange = coChange;
    this.directories = directories;
    this.files = files;
  }

  /** A directory's files as the source lists them, and in their order. */
  private record Directory(List<MappedFile> listed, List<Placed> ordered) {}

  /** A file and its place, which has another file's stem where it follows that one. */
  record Placed(MappedFile file, FilePlace place) {}

  /** The files, each once. */
  List<Placed> files() {
    return files;
  }

  /** The order of files of which many may be the ones that this is the order of. */
  ReadingOrder of(Collection<MappedFile> now, CoChange together) {
    Map<List<String>, List<MappedFile>> listed = new HashMap<>();
    for (MappedFile file : now) {
      listed.computeIfAbsent(file.place().directory(), key -> new ArrayList<>()).add(file);
    }
    TreeMap<String, List<String>> names = new TreeMap<>();
    listed.keySet().forEach(name -> names.put(String.join("\0", name), name));
    Map<List<String>, Directory> ordered = new HashMap<>();
    List<Placed> all = new ArrayList<>(now.size());
    for (List<String> name : names.values()) {
      Directory before = together == coChange ? directories.get(name) : null;
      Directory directory =
          before != null && before.listed().equals(listed.get(name))
              ? before
              : directory(listed.get(name), together);
      ordered.put(name, directory);
      all.addAll(directory.ordered());
    }
    return new ReadingOrder(together, ordered, List.copyOf(all));
  }

  private static Directory directory(List<MappedFile> listed, CoChange coChange) {
    List<Placed> ordered = new ArrayList<>(listed.size());
    order(listed, coChange, ordered);
    return new Directory(List.copyOf(listed), List.copyOf(ordered));
  }

  private static void order(List<MappedFile> directory, CoChange coChange, List<Placed> ordered) {
    TreeMap<String, List<MappedFile>> stems = new TreeMap<>();
    for (MappedFile file : directory) {
      stems.computeIfAbsent(file.place().stem(), key -> new ArrayList<>()).add(file);
    }
    Map<String, List<String>> followers = new TreeMap<>();
    Map<String, String> leaders = leaders(stems, coChange);
    if (!coChange.isEmpty()) {
      changedTogether(stems, coChange, leaders);
    }
    leaders.forEach(
        (stem, leader) -> followers.computeIfAbsent(leader, key -> new ArrayList<>()).add(stem));
    for (String stem : stems.keySet()) {
      if (!leaders.containsKey(stem)) {
        add(stems.get(stem), stem, ordered);
        followers
            .getOrDefault(stem, List.of())
            .forEach(follower -> add(stems.get(follower), stem, ordered));
      }
    }
  }

  private static void add(List<MappedFile> files, String stem, List<Placed> ordered) {
    files.stream()
        .map(file -> new Placed(file, file.place().withStem(stem)))
        .sorted(
            Comparator.<Placed>comparingInt(placed -> placed.place().name().length())
                .thenComparing(placed -> placed.place().path()))
        .forEach(ordered::add);
  }

  /** Which small stems follow which larger ones. */
  private static Map<String, String> leaders(
      TreeMap<String, List<MappedFile>> stems, CoChange coChange) {
    Map<String, Map<String, Integer>> naming = new TreeMap<>();
    stems.forEach((stem, files) -> {
      if (!small(files)) {
        for (MappedFile file : files) {
          file.mentions().forEach((named, times) -> named(naming, stems, stem, named, times));
          coChange
              .together(file.path())
              .forEach((other, times) -> {
                FilePlace place = FilePlace.of(other);
                if (place.directory().equals(file.place().directory())) {
                  named(naming, stems, stem, place.stem(), USES_PER_CHANGE * times);
                }
              });
        }
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

  private static void named(
      Map<String, Map<String, Integer>> naming,
      TreeMap<String, List<MappedFile>> stems,
      String by,
      String stem,
      int times) {
    if (stems.containsKey(stem)) {
      naming.computeIfAbsent(stem, key -> new TreeMap<>()).merge(by, times, Integer::sum);
    }
  }

  /** Adds which larger stems follow which, so that none that is followed follows itself. */
  private static void changedTogether(
      TreeMap<String, List<MappedFile>> stems, CoChange coChange, Map<String, String> leaders) {
    Map<String, String> following = new TreeMap<>();
    for (String stem : stems.keySet()) {
      if (leaders.containsKey(stem)) {
        continue;
      }
      String closest = null;
      double most = MOSTLY;
      for (MappedFile file : stems.get(stem)) {
        for (String other : new TreeSet<>(coChange.together(file.path()).keySet())) {
          FilePlace place = FilePlace.of(other);
          String before = place.stem();
          double closeness = coChange.closeness(file.path(), other);
          if (closeness > most
              && place.directory().equals(file.place().directory())
              && before.compareTo(stem) < 0
              && stems.containsKey(before)
              && !leaders.containsKey(before)
              && !following.containsKey(before)) {
            most = closeness;
            closest = before;
          }
        }
      }
      if (closest != null) {
        following.put(stem, closest);
      }
    }
    // What followed a stem that now follows another goes there with it.
    leaders.replaceAll((small, leader) -> following.getOrDefault(leader, leader));
    leaders.putAll(following);
  }

  private static boolean small(List<MappedFile> files) {
    return files.stream().mapToInt(MappedFile::chars).sum() <= SMALL_CHARS;
  }
}
