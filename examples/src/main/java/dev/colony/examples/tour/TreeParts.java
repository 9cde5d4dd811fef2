package dev.colony.examples.tour;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Cuts a tree of files into parts: its directories, of which the weightiest are cut further until
 * there are as many as wanted. Pure.
 */
final class TreeParts {

  /** A part that has less of the whole is not cut, and does not count. */
  private static final double SMALL = 0.03;

  /**
   * A file.
   *
   * @param rank how central it is; larger is more
   */
  record Ranked(String path, int lines, double rank) {}

  /**
   * A part.
   *
   * @param name the directory that its files are in; with {@code /*} behind it where only those are
   *     meant that are in no directory below it
   * @param files the most central first
   */
  record Part(String name, List<Ranked> files, double rank) {
    int lines() {
      return files.stream().mapToInt(Ranked::lines).sum();
    }
  }

  private TreeParts() {}

  /**
   * The parts, the most central first; each file is in one.
   *
   * @param most how many to cut into, small ones besides; there may be some more, or fewer
   */
  static List<Part> of(List<Ranked> files, int most) {
    double small = SMALL * files.stream().mapToDouble(Ranked::rank).sum();
    List<Part> parts = new ArrayList<>();
    if (!files.isEmpty()) {
      parts.add(part("", files));
    }
    List<Part> done = new ArrayList<>();
    while (!parts.isEmpty() && large(parts, small) + large(done, small) < most) {
      Part largest = parts.stream().max(Comparator.comparingDouble(Part::rank)).orElseThrow();
      parts.remove(largest);
      List<Part> cut = largest.rank() < small ? List.of() : cut(largest);
      if (cut.size() < 2) {
        done.add(largest);
      } else {
        parts.addAll(cut);
      }
    }
    parts.addAll(done);
    parts.sort(Comparator.comparingDouble(Part::rank).reversed().thenComparing(Part::name));
    return parts;
  }

  private static long large(List<Part> parts, double small) {
    return parts.stream().filter(part -> part.rank() >= small).count();
  }

  private static Part part(String name, List<Ranked> files) {
    List<Ranked> sorted = new ArrayList<>(files);
    sorted.sort(Comparator.comparingDouble(Ranked::rank).reversed().thenComparing(Ranked::path));
    return new Part(name, sorted, files.stream().mapToDouble(Ranked::rank).sum());
  }

  /** Its directories, after those that are the only one have been gone down, and its own files. */
  private static List<Part> cut(Part part) {
    if (part.name().endsWith("*")) {
      return List.of(part);
    }
    String at = part.name();
    while (true) {
      Map<String, List<Ranked>> below = new TreeMap<>();
      for (Ranked file : part.files()) {
        below.computeIfAbsent(child(at, file.path()), name -> new ArrayList<>()).add(file);
      }
      if (below.size() > 1 || below.isEmpty()) {
        return below.entrySet().stream().map(one -> part(one.getKey(), one.getValue())).toList();
      }
      String only = below.keySet().iterator().next();
      if (only.endsWith("*")) {
        return List.of(part(only, part.files()));
      }
      at = only;
    }
  }

  /** The directory below another that a file is in; with a star for the other itself. */
  private static String child(String directory, String path) {
    String prefix = directory.isEmpty() ? "" : directory + "/";
    int slash = path.indexOf('/', prefix.length());
    return slash < 0 ? prefix + "*" : path.substring(0, slash);
  }
}
