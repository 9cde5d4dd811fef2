package dev.colony.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.testkit.load.BenchReport;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What a benchmark of steps found. Of several rounds each figure is the median.
 *
 * @param rounds at least one
 */
public record StepsReport(
    String runId, StepsLoad load, StepsReport.WarmUp warmUp, List<StepsReport.Round> rounds) {

  private static final int RECORDS_PER_STEP = 2;

  /**
   * One measurement, and right behind it that of what bounds it.
   *
   * @param cpu processor time per step
   * @param journaled the steps that stand in the journal, counted there
   * @param bytesPerStep what Redis keeps in memory for one step, both of its records
   * @param ceiling appends per second of the same script with nothing around it
   */
  public record Round(
      BenchReport measured,
      CpuTime cpu,
      JournaledSteps journaled,
      long bytesPerStep,
      Ceiling ceiling) {

    /** The part of the ceiling that the agents reached. */
    double ratio() {
      return RECORDS_PER_STEP * measured.stepsPerSecond() / ceiling.appendsPerSecond();
    }

    private long lostOrDoubled(StepsLoad load) {
      long wanted = (long) load.agents() * load.steps();
      return Math.max(
          journaled.lostOrDoubled(),
          Math.max(
              Math.abs(wanted - measured.stepsInResults()),
              Math.abs(wanted - measured.notedInResults())));
    }
  }

  /**
   * What was run before anything was measured.
   *
   * @param quiet whether the cost of a step had settled; otherwise as many rounds were run as may
   *     be
   */
  public record WarmUp(int rounds, boolean quiet) {

    static final WarmUp NONE = new WarmUp(0, false);

    /** For people. */
    String toText() {
      return rounds == 0
          ? "none"
          : rounds + " rounds" + (quiet ? "" : ", and the cost of a step had not settled");
    }
  }

  public StepsReport {
    rounds = List.copyOf(rounds);
  }

  /** Whether every step is in the journal once, and in the results too. */
  public boolean whole() {
    return rounds.stream().allMatch(one -> one.measured().completedRuns() == load.agents())
        && lostOrDoubled() == 0;
  }

  private double median(ToDoubleFunction<Round> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private CpuTime cpu() {
    return new CpuTime(
        median(one -> one.cpu().work()),
        median(one -> one.cpu().compiler()),
        median(one -> one.cpu().redis()));
  }

  private long stepsInJournal() {
    return rounds.stream().mapToLong(one -> one.journaled().steps()).sum();
  }

  private long lostOrDoubled() {
    return rounds.stream().mapToLong(one -> one.lostOrDoubled(load)).sum();
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("runId", runId)
            .put("agents", load.agents())
            .put("steps", load.steps())
            .put("payloadBytes", load.payloadBytes())
            .put("fsync", load.fsync().word())
            .put("warmUpRounds", warmUp.rounds())
            .put("quiet", warmUp.quiet())
            .put("rounds", rounds.size())
            .put("stepsPerSecond", Math.round(median(one -> one.measured().stepsPerSecond())))
            .put("p50Millis", median(one -> one.measured().p50().toNanos() / 1e6))
            .put("p99Millis", median(one -> one.measured().p99().toNanos() / 1e6));
    cpu().into(json);
    return json.put("bytesPerStep", Math.round(median(Round::bytesPerStep)))
        .put("heapBytesPerAgent", Math.round(median(one -> one.measured().heapBytesPerAgent())))
        .put("ceilingAppendsPerSecond", Math.round(median(one -> one.ceiling().appendsPerSecond())))
        .put("ceilingBy", rounds.getLast().ceiling().by())
        .put("ratio", Math.round(median(Round::ratio) * 1000) / 1000.0)
        .put("stepsInJournal", stepsInJournal())
        .put("stepsLostOrDoubled", lostOrDoubled())
        .toString();
  }

  /** The figures, one a line. */
  public String toText() {
    CpuTime cpu = cpu();
    return String.format(
        Locale.ROOT,
        """
        %,d agents x %,d steps x %,d bytes, fsync %s, two records a step
          warm-up               %s
          rounds                %,10d, each before its ceiling; medians of them
          steps per second      %,10.0f
          step p50              %,10.1f ms
          step p99              %,10.1f ms
          CPU per step          %,10.0f us, Redis %.0f us, compiler %.0f us
          stored per step       %,10.0f bytes
          heap per agent        %,10.0f bytes
          ceiling               %,10.0f appends per second (%s)
          ratio                 %10.2f of the ceiling
          steps in the journal  %,10d, lost or doubled %d
        run %s\
        """,
        load.agents(),
        load.steps(),
        load.payloadBytes(),
        load.fsync().word(),
        warmUp.toText(),
        rounds.size(),
        median(one -> one.measured().stepsPerSecond()),
        median(one -> one.measured().p50().toNanos() / 1e6),
        median(one -> one.measured().p99().toNanos() / 1e6),
        cpu.work(),
        cpu.redis(),
        cpu.compiler(),
        median(Round::bytesPerStep),
        median(one -> one.measured().heapBytesPerAgent()),
        median(one -> one.ceiling().appendsPerSecond()),
        rounds.getLast().ceiling().by(),
        median(Round::ratio),
        stepsInJournal(),
        lostOrDoubled(),
        runId);
  }
}
