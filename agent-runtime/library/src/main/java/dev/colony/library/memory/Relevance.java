package dev.colony.library.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * How relevant texts are to a question, by the words that they share with it: the rarer among the
 * texts, the more. Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
 * Beyond" (2009).
 */
public final class Relevance {

  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{Nd}]+");
  private static final double SATURATION = 1.2;
  private static final double LENGTH = 0.75;

  private final List<Map<String, Integer>> texts = new ArrayList<>();
  private final Map<String, Integer> holding = new HashMap<>();
  private final int[] lengths;
  private final double meanLength;

  /** Of these texts. */
  public Relevance(List<String> all) {
    lengths = new int[all.size()];
    long sum = 0;
    for (int i = 0; i < lengths.length; i++) {
      List<String> words = words(all.get(i));
      Map<String, Integer> counts = new HashMap<>();
      words.forEach(word -> counts.merge(word, 1, Integer::sum));
      counts.keySet().forEach(word -> holding.merge(word, 1, Integer::sum));
      texts.add(counts);
      lengths[i] = words.size();
      sum += words.size();
    }
    meanLength = Math.max(1, sum / (double) Math.max(1, lengths.length));
  }

  /** For each text at least 0, and 0 exactly where it shares no word with the question. */
  public double[] to(String question) {
    Set<String> asked = new HashSet<>(words(question));
    double[] scores = new double[lengths.length];
    for (String word : asked) {
      int documents = holding.getOrDefault(word, 0);
      double rarity = Math.log(1 + (lengths.length - documents + 0.5) / (documents + 0.5));
      for (int i = 0; i < scores.length; i++) {
        int count = texts.get(i).getOrDefault(word, 0);
        double longer = 1 - LENGTH + LENGTH * lengths[i] / meanLength;
        scores[i] += rarity * count * (SATURATION + 1) / (count + SATURATION * longer);
      }
    }
    return scores;
  }

  /** In lower case; a plural's last letter is dropped, so that it meets its singular. */
  private static List<String> words(String text) {
    return WORD.matcher(text.toLowerCase(Locale.ROOT))
        .results()
        .map(MatchResult::group)
        .map(word ->
            word.length() > 3 && word.endsWith("s") && !word.endsWith("ss")
                ? word.substring(0, word.length() - 1)
                : word)
        .toList();
  }
}
