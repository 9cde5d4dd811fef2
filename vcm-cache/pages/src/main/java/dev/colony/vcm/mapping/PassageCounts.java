package dev.colony.vcm.mapping;

import dev.colony.vcm.mapping.PassageRanker.RankFusion;
import java.io.IOException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How often words stand in the passages of files. Immutable. */
interface PassageCounts {

  /**
   * A passage.
   *
   * @param file its file's position in {@link #files}
   */
  record Passage(int file, int firstLine, int lastLine) {}

  /**
   * A file.
   *
   * @param generated whether it is one of {@link IndexedPassages.GeneratedFiles}
   */
  record CountedFile(String path, boolean generated) {}

  /** In the order of {@link #counts}. */
  List<Passage> passages();

  List<CountedFile> files();

  /** Adds to each passage how often a field of it has a stem. */
  void counts(String field, String stem, double weight, double[] into) throws IOException;

  /** Adds to each passage how often it has words, as they are written, with this one in them. */
  void written(String word, double[] into) throws IOException;

  /** Adds to each passage how many words a field of it has, long ones nearly. */
  void lengths(String field, double weight, double[] into) throws IOException;

  /**
   * The files with the best passages, best first, each with the score of its best one.
   *
   * @param scores of the passages, 0 for those that are none
   * @param most of them
   */
  default Map<Integer, Double> bestFiles(double[] scores, int most) {
    Map<Integer, Double> best = new LinkedHashMap<>();
    for (int at : RankFusion.ranked(scores, passagesByPlace())) {
      if (best.size() < most) {
        best.putIfAbsent(passages().get(at).file(), scores[at]);
      }
    }
    return best;
  }

  /** Files by their paths. */
  default Comparator<Integer> filesByPath() {
    return Comparator.comparing(file -> files().get(file).path());
  }

  /** Passages by their files' paths and their places in them. */
  default Comparator<Integer> passagesByPlace() {
    return Comparator.comparing(
            (Integer passage) -> files().get(passages().get(passage).file()).path())
        .thenComparing(passage -> passages().get(passage).firstLine());
  }
}
