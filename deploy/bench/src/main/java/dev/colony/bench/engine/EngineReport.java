package dev.colony.bench.engine;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.engine.EngineReplay.Arrivals;
import dev.colony.bench.engine.EngineReplay.Engines;
import dev.colony.bench.engine.EngineReplay.Played;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What the engine made of recorded decisions, beside what the recording says of them.
 *
 * @param requests that were played
 * @param preemptions how often a running request lost its blocks to others
 * @param engine by the engine of the embedded replica
 * @param recorded by the recording
 * @param sessionSeconds from a session's first arrival to its last end, by the engine, on average;
 *     empty where there are none
 */
public record EngineReport(
    int requests,
    int preemptions,
    Figures engine,
    Figures recorded,
    OptionalDouble sessionSeconds) {

  /**
   * How requests fared.
   *
   * @param hits share of their prompts' blocks that was cached
   * @param meanSeconds to their first tokens
   */
  public record Figures(double hits, double meanSeconds, double p50Seconds, double p99Seconds) {

    private static Figures of(long hitBlocks, long blocks, double[] firstTokens) {
      double[] sorted = firstTokens.clone();
      Arrays.sort(sorted);
      return new Figures(
          (double) hitBlocks / Math.max(1, blocks),
          Arrays.stream(sorted).average().orElse(0),
          part(sorted, 0.5),
          part(sorted, 0.99));
    }

    private static double part(double[] sorted, double part) {
      return sorted.length == 0
          ? 0
          : sorted[Math.min(sorted.length - 1, (int) (part * sorted.length))];
    }
  }

  /**
   * Plays a recording.
   *
   * @throws IllegalArgumentException if it names replicas that there are not, or has prompts that
   *     no cache holds
   */
  public static EngineReport of(Recording recording, Engines engines, Arrivals arrivals) {
    if (recording.lastReplica() >= engines.replicas()) {
      throw new IllegalArgumentException(
          "a decision names replica %d, but there are %d"
              .formatted(recording.lastReplica(), engines.replicas()));
    }
    int blockTokens = engines.limits().blockTokens();
    for (TracedCall call : recording.calls()) {
      int most = (call.promptTokens() + call.replyTokens() + blockTokens - 1) / blockTokens;
      if (most > engines.blocks()
          || call.blocks().length * (long) blockTokens < call.promptTokens()) {
        throw new IllegalArgumentException(
            "a request has %d tokens in %d blocks, which do not hold it, or no cache does"
                .formatted(call.promptTokens(), call.blocks().length));
      }
    }
    EngineReplay replay = new EngineReplay(engines, arrivals, recording);
    List<Played> played = replay.run();
    List<Decision> decided = recording.decisions();
    long blocks = recording.calls().stream().mapToLong(call -> call.blocks().length).sum();
    return new EngineReport(
        played.size(),
        replay.preemptions(),
        Figures.of(
            played.stream().mapToLong(Played::hitBlocks).sum(),
            blocks,
            played.stream().mapToDouble(Played::firstTokenSeconds).toArray()),
        Figures.of(
            decided.stream().mapToLong(Decision::hitBlocks).sum(),
            blocks,
            decided.stream().mapToDouble(Decision::firstTokenSeconds).toArray()),
        sessionSeconds(recording.calls(), played));
  }

  private static OptionalDouble sessionSeconds(List<TracedCall> calls, List<Played> played) {
    Map<String, double[]> sessions = new HashMap<>();
    for (int number = 0; number < played.size(); number++) {
      Played call = played.get(number);
      calls
          .get(number)
          .session()
          .ifPresent(name ->
              sessions.merge(
                  name,
                  new double[] {call.arrived(), call.ended()},
                  (all, one) -> new double[] {Math.min(all[0], one[0]), Math.max(all[1], one[1])}));
    }
    return sessions.values().stream().mapToDouble(one -> one[1] - one[0]).average();
  }

  /** How far the engine's share of hits is from the recorded one, of the latter. */
  public double hitsApart() {
    return apart(engine.hits, recorded.hits);
  }

  /** The same of the mean time to the first token. */
  public double meanApart() {
    return apart(engine.meanSeconds, recorded.meanSeconds);
  }

  private static double apart(double one, double other) {
    return other == 0 ? one : one / other - 1;
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("requests", requests)
            .put("preemptions", preemptions)
            .put("hitsApart", hitsApart())
            .put("meanFirstTokenApart", meanApart());
    sessionSeconds.ifPresent(seconds -> json.put("sessionSeconds", seconds));
    add(json, "engine", engine);
    add(json, "recorded", recorded);
    return json.toString();
  }

  private static void add(ObjectNode json, String name, Figures figures) {
    json.putObject(name)
        .put("hits", figures.hits())
        .put("firstTokenMeanSeconds", figures.meanSeconds())
        .put("firstTokenP50Seconds", figures.p50Seconds())
        .put("firstTokenP99Seconds", figures.p99Seconds());
  }

  /** A table, a line for each side. */
  public String toText() {
    return line("%d requests, %d preemptions", requests, preemptions)
        + line("%-9s %8s %12s %9s %9s", "", "hits", "first mean s", "p50 s", "p99 s")
        + row("engine", engine)
        + row("recorded", recorded)
        + line("apart: hits %+.2f %%, mean %+.2f %%", 100 * hitsApart(), 100 * meanApart())
            .stripTrailing();
  }

  private static String row(String name, Figures figures) {
    return line(
        "%-9s %8.4f %12.3f %9.3f %9.3f",
        name, figures.hits(), figures.meanSeconds(), figures.p50Seconds(), figures.p99Seconds());
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values) + "\n";
  }
}
