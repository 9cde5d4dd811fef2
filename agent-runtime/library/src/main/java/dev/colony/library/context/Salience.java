package dev.colony.library.context;

import dev.colony.agent.author.Param.Range;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * How much a memory matters now: a weighted sum of recency, importance and relevance, each scaled
 * to 0..1 over the memories that are compared. Recency falls by a factor with each hour since the
 * last access. Pure. Source: Park et al. (2023), section 4.1; relevance there is the similarity of
 * embeddings, here it is lexical.
 *
 * @param recency weight, 0 to 1000
 * @param importance weight, 0 to 1000
 * @param relevance weight, 0 to 1000
 * @param decayPerHour what recency is multiplied by each hour, 0 to 1
 */
public record Salience(
    @Range(min = 0, max = 1000) double recency,
    @Range(min = 0, max = 1000) double importance,
    @Range(min = 0, max = 1000) double relevance,
    @Range(min = 0, max = 1) double decayPerHour) {

  public static final Salience DEFAULT = new Salience(1, 1, 1, 0.995);

  private static final double MILLIS_PER_HOUR = Duration.ofHours(1).toMillis();

  public Salience {
    for (double weight : new double[] {recency, importance, relevance}) {
      if (!(weight >= 0 && weight <= 1000)) {
        throw new IllegalArgumentException("a weight of salience is 0 to 1000, not " + weight);
      }
    }
    if (!(decayPerHour >= 0 && decayPerHour <= 1)) {
      throw new IllegalArgumentException("decayPerHour is 0 to 1, not " + decayPerHour);
    }
  }

  /**
   * The memories, the most salient first; of equally salient ones the newest first. Cost: linear in
   * their texts.
   */
  public List<Memory> rank(List<Memory> memories, String about, Instant now) {
    double[] recencies = scaled(memories.stream().mapToDouble(one -> recency(one, now)).toArray());
    double[] importances = scaled(memories.stream().mapToDouble(Memory::importance).toArray());
    double[] relevances =
        scaled(new Relevance(memories.stream().map(Memory::text).toList()).to(about));
    double[] salience =
        IntStream.range(0, memories.size())
            .mapToDouble(i ->
                recency * recencies[i] + importance * importances[i] + relevance * relevances[i])
            .toArray();
    return IntStream.range(0, memories.size())
        .boxed()
        .sorted(
            Comparator.<Integer>comparingDouble(i -> -salience[i])
                .thenComparing(i -> -memories.get(i).turn()))
        .map(memories::get)
        .toList();
  }

  private double recency(Memory memory, Instant now) {
    // A clock that went backwards makes nothing more than fresh.
    double millis = Math.max(0, Duration.between(memory.accessedAt(), now).toMillis());
    return Math.pow(decayPerHour, millis / MILLIS_PER_HOUR);
  }

  private static double[] scaled(double[] values) {
    double least = Arrays.stream(values).min().orElse(0);
    double range = Arrays.stream(values).max().orElse(0) - least;
    return range == 0
        ? new double[values.length]
        : Arrays.stream(values).map(value -> (value - least) / range).toArray();
  }

  /**
   * How relevant texts are to a question, by the words that they share with it: the rarer among the
   * texts, the more. Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25
   * and Beyond" (2009).
   */
  public static final class Relevance {

    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{Nd}]+");
    private static final double SATURATION = 1.2;
    private static final double LENGTH = 0.75;

    private final List<Map<String, Integer>> texts = new ArrayList<>();
    private final Map<String, Integer> holding = new HashMap<>();
    private final int[] lengths;
    private final double meanLength;

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
}
