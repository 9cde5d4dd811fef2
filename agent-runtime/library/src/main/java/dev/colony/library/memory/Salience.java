package dev.colony.library.memory;

import dev.colony.agent.author.Range;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
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

  /** The weights and the decay of the source. */
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
}
