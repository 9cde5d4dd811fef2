package dev.colony.bench.engine;

import dev.colony.bench.load.JsonLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Recorded requests and what was decided of each.
 *
 * @param calls by number, from 0
 * @param decisions in the order of the calls
 */
public record Recording(List<TracedCall> calls, List<Decision> decisions) {

  public Recording {
    calls = List.copyOf(calls);
    decisions = List.copyOf(decisions);
  }

  /**
   * Reads both, of {@link JsonLines}.
   *
   * @param limit how many requests are read; 0 for all
   * @param speed that arrivals come faster by
   * @throws IOException if a file cannot be read
   * @throws IllegalArgumentException if a line is not what it has to be, or a request has no
   *     decision; names file and line
   */
  public static Recording read(Path trace, Path decided, int limit, double speed)
      throws IOException {
    List<TracedCall> calls = new ArrayList<>();
    JsonLines.read(trace, limit, line -> calls.add(TracedCall.of(line, speed)));
    Decision[] decisions = new Decision[calls.size()];
    JsonLines.read(
        decided,
        0,
        line -> {
          int number = line.path("i").asInt(-1);
          if (number < 0) {
            throw new IllegalArgumentException("no decision: i is wanted");
          }
          if (number < decisions.length) {
            decisions[number] = Decision.of(line);
          }
        });
    int missing = Arrays.asList(decisions).indexOf(null);
    if (missing >= 0) {
      throw new IllegalArgumentException(
          decided + " has no decision for request " + missing + " of " + trace);
    }
    return new Recording(calls, Arrays.asList(decisions));
  }

  /** The largest replica that anything was sent to. */
  int lastReplica() {
    return decisions.stream().mapToInt(Decision::replica).max().orElse(0);
  }
}
