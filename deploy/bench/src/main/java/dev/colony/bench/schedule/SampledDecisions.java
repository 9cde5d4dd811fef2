package dev.colony.bench.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/** What decisions took by the clock, as JMH has sampled them. */
public record SampledDecisions(DecisionLoad load, int forks, List<Kind> kinds) {

  /**
   * Decisions of one kind, in microseconds.
   *
   * @param name {@code arrivals} or {@code ends}, as of {@link DecisionReport}
   * @param count of samples
   */
  record Kind(String name, long count, double p50, double p99, double most) {}

  public SampledDecisions {
    kinds = List.copyOf(kinds);
  }

  /**
   * Blocks until both kinds are sampled: of each two iterations to warm up and five that count. The
   * number of decisions of the load has no say, time has.
   *
   * @param forks processes one after another, each of which samples on its own; 0 samples in this
   *     one
   * @param seconds of an iteration
   */
  public static SampledDecisions run(DecisionLoad load, int forks, int seconds) {
    Options options =
        new OptionsBuilder()
            .include("^" + DecisionSamples.class.getName().replace(".", "\\.") + "\\.")
            .mode(Mode.SampleTime)
            .timeUnit(TimeUnit.MICROSECONDS)
            .threads(1)
            .forks(forks)
            .warmupIterations(2)
            .warmupTime(TimeValue.seconds(seconds))
            .measurementIterations(5)
            .measurementTime(TimeValue.seconds(seconds))
            .param("replicas", "" + load.replicas())
            .param("agents", "" + load.agents())
            .param("pages", "" + load.pages())
            .param("cachePages", "" + load.cachePages())
            .param("warmup", "" + load.warmup())
            .shouldFailOnError(true)
            .build();
    try {
      return new SampledDecisions(
          load,
          forks,
          new Runner(
                  options, OutputFormatFactory.createFormatInstance(System.err, VerboseMode.NORMAL))
              .run().stream()
                  .map(SampledDecisions::kind)
                  .sorted(Comparator.comparing(Kind::name))
                  .toList());
    } catch (RunnerException failed) {
      throw new IllegalStateException("the decisions were not sampled", failed);
    }
  }

  private static Kind kind(RunResult result) {
    Statistics samples = result.getPrimaryResult().getStatistics();
    return new Kind(
        result.getParams().getBenchmark().contains("Arrival") ? "arrivals" : "ends",
        samples.getN(),
        samples.getPercentile(50),
        samples.getPercentile(99),
        samples.getMax());
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json = load.toJson().put("forks", forks);
    kinds.forEach(kind ->
        json.putObject(kind.name())
            .put("count", kind.count())
            .put("p50Micros", kind.p50())
            .put("p99Micros", kind.p99())
            .put("maxMicros", kind.most()));
    return json.toString();
  }

  /** A line each. */
  public String toText() {
    return String.format(
            Locale.ROOT,
            "%d replicas of %,d pages, %,d agents of %d pages each; JMH, %d processes%n",
            load.replicas(),
            load.cachePages(),
            load.agents(),
            load.pages(),
            forks)
        + kinds.stream()
            .map(kind ->
                String.format(
                    Locale.ROOT,
                    "%-8s %,9d: clock p50 %6.1f us, p99 %7.1f us, at most %,9.1f us",
                    kind.name(),
                    kind.count(),
                    kind.p50(),
                    kind.p99(),
                    kind.most()))
            .collect(Collectors.joining(System.lineSeparator()));
  }
}
