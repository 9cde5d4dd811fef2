package dev.colony.vcm.mapping;

import dev.colony.vcm.mapping.PassageCounts.CountedFile;
import dev.colony.vcm.mapping.PassageCounts.Passage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Scores passages by four rankings of their files, fused: BM25 over the whole file, its best
 * passage by BM25, how many different words of the question it has by their stems, and how many as
 * they are written, parts of longer names included. Of a file each passage counts by how it
 * compares to the best one.
 *
 * <p>The first finds what a file is about, the second a few lines in a long file, the others what
 * has a bit of everything; each alone finds fewer, and which one is the best differs between trees.
 * A long file is likelier to hold an answer than a short one as high in the lists, so its length
 * adds a little. Immutable; a question takes some ten milliseconds.
 */
final class PassageRanker {

  private static final double SATURATION = 1.2;
  private static final double LENGTH = 0.75;

  /** Of files with as many different words the one with more hits comes first. */
  private static final double HIT = 1e-9;

  /** A file with none of the words as they are written comes behind all that have one. */
  private static final double OTHER_FORM = 1e-12;

  /** What a file gets for e times the length of another, as much as few ranks at the front. */
  private static final double SIZE = 0.002;

  /** What a generated file counts beside one that was written. */
  private static final double GENERATED = 0.5;

  // Tuned together on questions over two code bases; the exact values matter little.
  private static final Map<String, Double> FIELDS =
      Map.of(
          Passages.BODY, 1.0,
          Passages.DIRECTORY, 1.0,
          Passages.DECLARED, 4.0,
          Passages.FILE, 16.0);

  private final PassageCounts counted;
  private final double[] lengths;
  private final double average;
  private final double[] fileLengths;
  private final double[] passagesOf;
  private final double averageFile;

  PassageRanker(PassageCounts counted) throws IOException {
    this.counted = counted;
    lengths = new double[counted.passages().size()];
    for (Map.Entry<String, Double> field : FIELDS.entrySet()) {
      counted.lengths(field.getKey(), field.getValue(), lengths);
    }
    average = average(lengths);
    double[] bodies = new double[lengths.length];
    counted.lengths(Passages.BODY, 1, bodies);
    fileLengths = ofFiles(bodies);
    double[] one = new double[lengths.length];
    Arrays.fill(one, 1);
    passagesOf = ofFiles(one);
    averageFile = average(fileLengths);
  }

  private static double average(double[] lengths) {
    return Math.max(1, Arrays.stream(lengths).average().orElse(1));
  }

  /**
   * The score of each passage, in the order of {@link PassageCounts#passages}: 0 where it has none
   * of the words.
   *
   * @param stems of the question's words
   * @param words the same as they are written, in lower case
   */
  double[] score(List<String> stems, List<String> words) throws IOException {
    int files = counted.files().size();
    double[] ofPassage = new double[counted.passages().size()];
    double[] ofFile = new double[files];
    double[] differentStems = new double[files];
    double[] differentWords = new double[files];
    for (String stem : stems) {
      double[] weighted = new double[ofPassage.length];
      for (Map.Entry<String, Double> field : FIELDS.entrySet()) {
        counted.counts(field.getKey(), stem, field.getValue(), weighted);
      }
      add(weighted, lengths, average, ofPassage);
      double[] hits = new double[ofPassage.length];
      counted.counts(Passages.BODY, stem, 1, hits);
      double[] inFile = ofFiles(hits);
      named(stem, inFile);
      add(inFile, fileLengths, averageFile, ofFile);
      different(inFile, differentStems);
    }
    for (int i = 0; i < files; i++) {
      differentWords[i] = OTHER_FORM * Math.floor(differentStems[i]);
    }
    for (String word : words) {
      double[] hits = new double[ofPassage.length];
      counted.written(word, hits);
      different(ofFiles(hits), differentWords);
    }
    return fused(ofPassage, List.of(ofFile, differentStems, differentWords));
  }

  private double[] fused(double[] ofPassage, List<double[]> ofFiles) {
    double[] best = new double[fileLengths.length];
    for (int i = 0; i < ofPassage.length; i++) {
      int file = counted.passages().get(i).file();
      best[file] = Math.max(best[file], ofPassage[i]);
    }
    List<double[]> lists = new ArrayList<>(ofFiles);
    lists.add(best);
    double[] files = RankFusion.fuse(lists, counted.filesByPath());
    double[] scores = new double[ofPassage.length];
    for (int i = 0; i < scores.length; i++) {
      Passage passage = counted.passages().get(i);
      CountedFile file = counted.files().get(passage.file());
      double share = ofPassage[i] == 0 ? 0 : ofPassage[i] / best[passage.file()];
      double ofFile = files[passage.file()] + SIZE * Math.log1p(fileLengths[passage.file()]);
      scores[i] = ofFile * share * (file.generated() ? GENERATED : 1);
    }
    return scores;
  }

  /** Adds how often the files' names have a stem, which stands in each passage of a file. */
  private void named(String stem, double[] inFile) throws IOException {
    double[] counts = new double[lengths.length];
    counted.counts(Passages.FILE, stem, 1, counts);
    double[] ofFile = ofFiles(counts);
    for (int i = 0; i < ofFile.length; i++) {
      inFile[i] += ofFile[i] / passagesOf[i];
    }
  }

  private static void different(double[] hits, double[] into) {
    for (int i = 0; i < hits.length; i++) {
      into[i] += hits[i] > 0 ? 1 + hits[i] * HIT : 0;
    }
  }

  private double[] ofFiles(double[] ofPassages) {
    double[] sums = new double[counted.files().size()];
    for (int i = 0; i < ofPassages.length; i++) {
      sums[counted.passages().get(i).file()] += ofPassages[i];
    }
    return sums;
  }

  /**
   * Adds the BM25 of one word (Robertson and Zaragoza, "The Probabilistic Relevance Framework").
   */
  private static void add(double[] counts, double[] lengths, double average, double[] into) {
    long having = 0;
    for (double count : counts) {
      having += count > 0 ? 1 : 0;
    }
    double rarity = Math.log(1 + (counts.length - having + 0.5) / (having + 0.5));
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        double norm = SATURATION * (1 - LENGTH + LENGTH * lengths[i] / average);
        into[i] += rarity * counts[i] * (SATURATION + 1) / (counts[i] + norm);
      }
    }
  }

  /**
   * One ranking of several: each list gives what it has on a rank {@code 1 / (20 + rank)}, and only
   * its first hundred count (Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms
   * Condorcet and individual rank learning methods", 2009). So lists whose scores do not compare
   * can be added up.
   */
  static final class RankFusion {

    private static final int FLATTENED = 20;
    private static final int FIRST = 100;

    private RankFusion() {}

    /**
     * What each gets of all lists together.
     *
     * @param scores a list's scores; what has none (0) is not in it
     * @param order breaks ties, the same in all lists
     */
    static double[] fuse(List<double[]> scores, Comparator<Integer> order) {
      double[] sum = new double[scores.getFirst().length];
      for (double[] one : scores) {
        int[] ranked = ranked(one, order);
        for (int i = 0; i < Math.min(FIRST, ranked.length); i++) {
          sum[ranked[i]] += 1.0 / (FLATTENED + i + 1);
        }
      }
      return sum;
    }

    /** The positions of the scores above 0, the highest first. */
    static int[] ranked(double[] scores, Comparator<Integer> order) {
      return IntStream.range(0, scores.length)
          .filter(i -> scores[i] > 0)
          .boxed()
          .sorted(Comparator.comparingDouble((Integer i) -> -scores[i]).thenComparing(order))
          .mapToInt(Integer::intValue)
          .toArray();
    }
  }
}
