package dev.colony.testkit;

import java.time.Duration;

/**
 * What a benchmark of steps measured.
 *
 * @param completedRuns those that ended well
 * @param stepsInResults steps as the journaled results count them, earlier parts of a resumed
 *     benchmark included
 * @param notedInResults of those, how many left their note exactly once and in order
 * @param stepsHere iterations that completed in this process while it measured, the last one of
 *     each run, which decides that it is done, included
 * @param elapsed from the first submission to the last result
 * @param heapBytesPerAgent heap in use with the agents idle in memory, less that before they were
 *     started, per agent; means nothing for a resumed benchmark
 */
public record BenchReport(
    int agents,
    int completedRuns,
    long stepsInResults,
    long notedInResults,
    long stepsHere,
    Duration elapsed,
    Duration p50,
    Duration p99,
    long heapBytesPerAgent) {

  public double stepsPerSecond() {
    return stepsHere / (elapsed.toNanos() / 1e9);
  }
}
