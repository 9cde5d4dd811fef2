package dev.colony.deploy.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.agent.bench.BenchReport;
import java.util.Locale;

/**
 * What a benchmark of steps found.
 *
 * @param journaled the steps that stand in the journal, counted there
 * @param bytesPerStep what Redis keeps in memory for one step, both of its records
 * @param ceiling appends per second of the same script with nothing around it
 */
public record StepsReport(
    String runId,
    StepsLoad load,
    BenchReport measured,
    JournaledSteps journaled,
    long bytesPerStep,
    Ceiling ceiling) {

  private static final int RECORDS_PER_STEP = 2;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Whether every step is in the journal once, and in the results too. */
  public boolean whole() {
    return measured.completedRuns() == load.agents() && lostOrDoubled() == 0;
  }

  /** The part of the ceiling that the agents reached. */
  double ratio() {
    return RECORDS_PER_STEP * measured.stepsPerSecond() / ceiling.appendsPerSecond();
  }

  /** One object on one line. */
  public String toJson() {
    return JSON.createObjectNode()
        .put("runId", runId)
        .put("agents", load.agents())
        .put("steps", load.steps())
        .put("payloadBytes", load.payloadBytes())
        .put("fsync", load.fsync().word())
        .put("stepsPerSecond", Math.round(measured.stepsPerSecond()))
        .put("p50Millis", measured.p50().toNanos() / 1e6)
        .put("p99Millis", measured.p99().toNanos() / 1e6)
        .put("bytesPerStep", bytesPerStep)
        .put("heapBytesPerAgent", measured.heapBytesPerAgent())
        .put("ceilingAppendsPerSecond", Math.round(ceiling.appendsPerSecond()))
        .put("ceilingBy", ceiling.by())
        .put("ratio", Math.round(ratio() * 1000) / 1000.0)
        .put("stepsInJournal", journaled.steps())
        .put("stepsLostOrDoubled", lostOrDoubled())
        .toString();
  }

  /** The figures, one a line. */
  public String toText() {
    return String.format(
        Locale.ROOT,
        """
        %,d agents x %,d steps x %,d bytes, fsync %s, two records a step
          steps per second      %,10.0f
          step p50              %,10.1f ms
          step p99              %,10.1f ms
          stored per step       %,10d bytes
          heap per agent        %,10d bytes
          ceiling               %,10.0f appends per second (%s)
          ratio                 %10.2f of the ceiling
          steps in the journal  %,10d, lost or doubled %d
        run %s\
        """,
        load.agents(),
        load.steps(),
        load.payloadBytes(),
        load.fsync().word(),
        measured.stepsPerSecond(),
        measured.p50().toNanos() / 1e6,
        measured.p99().toNanos() / 1e6,
        bytesPerStep,
        measured.heapBytesPerAgent(),
        ceiling.appendsPerSecond(),
        ceiling.by(),
        ratio(),
        journaled.steps(),
        lostOrDoubled(),
        runId);
  }

  private long lostOrDoubled() {
    long wanted = (long) load.agents() * load.steps();
    return Math.max(
        journaled.lostOrDoubled(),
        Math.max(
            Math.abs(wanted - measured.stepsInResults()),
            Math.abs(wanted - measured.notedInResults())));
  }
}
