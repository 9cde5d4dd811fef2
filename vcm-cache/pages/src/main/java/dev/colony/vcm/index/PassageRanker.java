package dev.colony.vcm.index;

import dev.colony.vcm.index.IndexedPassages.IndexedFile;
import dev.colony.vcm.index.IndexedPassages.Passage;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Scores passages by two rankings of their files, fused: how many different words of the question a
 * file has, and its best passage by BM25. Of a file each passage counts by how it compares to the
 * best one.
 *
 * <p>The first finds what has a bit of everything, the second a few lines in a long file; each
 * alone finds fewer. A third, BM25 over whole files, finds no more: it prefers short ones.
 * Immutable; a question takes some ten milliseconds.
 */
final class PassageRanker {

  private static final double SATURATION = 1.2;
  private static final double LENGTH = 0.75;

  /** Of files with as many different words the one with more hits comes first. */
  private static final double HIT = 1e-9;

  /** What a generated file counts beside one that was written. */
  private static final double GENERATED = 0.5;

  // Tuned together on questions over two code bases; the exact values matter little.
  private static final Map<String, Double> FIELDS =
      Map.of(
          Passages.BODY, 1.0,
          Passages.DIRECTORY, 1.0,
          Passages.DECLARED, 4.0,
          Passages.FILE, 16.0);

  private final IndexedPassages indexed;
  private final double[] lengths;
  private final double average;

  PassageRanker(IndexedPassages indexed) throws IOException {
    this.indexed = indexed;
    lengths = new double[indexed.passages().size()];
    for (Map.Entry<String, Double> field : FIELDS.entrySet()) {
      indexed.lengths(field.getKey(), field.getValue(), lengths);
    }
    average = Math.max(1, Arrays.stream(lengths).average().orElse(1));
  }

  /**
   * The score of each passage, in the order of {@link IndexedPassages#passages}: 0 where it has
   * none of the words.
   */
  double[] score(List<String> words) throws IOException {
    int passages = indexed.passages().size();
    int files = indexed.files().size();
    double[] ofPassage = new double[passages];
    double[] distinct = new double[files];
    for (String word : words) {
      double[] weighted = new double[passages];
      for (Map.Entry<String, Double> field : FIELDS.entrySet()) {
        indexed.counts(field.getKey(), word, field.getValue(), weighted);
      }
      add(weighted, ofPassage);
      double[] hits = hits(word);
      for (int i = 0; i < files; i++) {
        distinct[i] += hits[i] > 0 ? 1 + hits[i] * HIT : 0;
      }
    }
    return fused(ofPassage, distinct);
  }

  private double[] fused(double[] ofPassage, double[] distinct) {
    double[] best = new double[distinct.length];
    for (int i = 0; i < ofPassage.length; i++) {
      int file = indexed.passages().get(i).file();
      best[file] = Math.max(best[file], ofPassage[i]);
    }
    double[] files = RankFusion.fuse(List.of(distinct, best), indexed.filesByPath());
    double[] scores = new double[ofPassage.length];
    for (int i = 0; i < scores.length; i++) {
      Passage passage = indexed.passages().get(i);
      IndexedFile file = indexed.files().get(passage.file());
      double share = ofPassage[i] == 0 ? 0 : ofPassage[i] / best[passage.file()];
      scores[i] = files[passage.file()] * share * (file.generated() ? GENERATED : 1);
    }
    return scores;
  }

  /** How often each file has a word, longer words that have it in them included. */
  private double[] hits(String word) throws IOException {
    double[] counts = new double[indexed.passages().size()];
    for (String longer : indexed.wordsWith(Passages.BODY, word)) {
      indexed.counts(Passages.BODY, longer, 1, counts);
    }
    double[] hits = new double[indexed.files().size()];
    for (int i = 0; i < counts.length; i++) {
      hits[indexed.passages().get(i).file()] += counts[i];
    }
    return hits;
  }

  /**
   * Adds the BM25 of one word (Robertson and Zaragoza, "The Probabilistic Relevance Framework").
   */
  private void add(double[] counts, double[] into) {
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
}
