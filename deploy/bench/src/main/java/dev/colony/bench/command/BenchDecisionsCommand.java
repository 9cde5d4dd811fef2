package dev.colony.bench.command;

import dev.colony.bench.schedule.DecisionBenchmark;
import dev.colony.bench.schedule.DecisionLoad;
import dev.colony.bench.schedule.DecisionReport;
import dev.colony.bench.schedule.SampledDecisions;
import dev.colony.cli.JsonOption;
import dev.colony.cli.exit.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures how long the scheduler of agents takes to decide. */
@Command(
    name = "decisions",
    mixinStandardHelpOptions = true,
    description = {
      "How long the scheduler of agents takes for a decision, by itself: without replicas, threads"
          + " or network.",
      "Agents ask, compute, stay away and come back in a time of their own; each call of the "
          + "scheduler is timed.",
    })
final class BenchDecisionsCommand implements Callable<Integer> {

  @Option(
      names = "--replicas",
      paramLabel = "N",
      defaultValue = "64",
      description = "How many (default: ${DEFAULT-VALUE}).")
  private int replicas;

  @Option(
      names = "--agents",
      paramLabel = "N",
      defaultValue = "2000",
      description = "Whose pages are all different (default: ${DEFAULT-VALUE}).")
  private int agents;

  @Option(
      names = "--pages",
      paramLabel = "N",
      defaultValue = "50",
      description = "Of an agent's working set, on average (default: ${DEFAULT-VALUE}).")
  private int pages;

  @Option(
      names = "--cache",
      paramLabel = "N",
      defaultValue = "600",
      description = "Pages that a replica holds (default: ${DEFAULT-VALUE}).")
  private int cache;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Decisions before those that are timed (default: ${DEFAULT-VALUE}).")
  private int warmup;

  @Option(
      names = "--ops",
      paramLabel = "N",
      defaultValue = "200000",
      description = "Decisions that are timed (default: ${DEFAULT-VALUE}).")
  private int decisions;

  @Option(
      names = "--jmh",
      description = {
        "Sample by JMH, by the clock and in processes of their own, in place of --ops decisions"
            + " that are timed one by one.",
      })
  private boolean jmh;

  @Option(
      names = "--forks",
      paramLabel = "N",
      defaultValue = "2",
      description = "With --jmh: processes; 0 samples in this one (default: ${DEFAULT-VALUE}).")
  private int forks;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "With --jmh: of an iteration, of which there are seven for each kind of decision and "
              + "process (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Mixin private JsonOption json;

  @Override
  public Integer call() {
    BenchCommand.check("--replicas", replicas, 1, 1_024);
    BenchCommand.check("--agents", agents, 1, 100_000);
    BenchCommand.check("--pages", pages, 20, 10_000);
    BenchCommand.check("--cache", cache, pages, 1_000_000);
    BenchCommand.check("--warmup", warmup, 0, 100_000_000);
    BenchCommand.check("--ops", decisions, 1, 100_000_000);
    BenchCommand.check("--forks", forks, 0, 20);
    BenchCommand.check("--seconds", seconds, 1, 600);
    DecisionLoad load = new DecisionLoad(replicas, agents, pages, cache, warmup, decisions, 1);
    if (jmh) {
      SampledDecisions sampled = SampledDecisions.run(load, forks, seconds);
      System.out.println(json.given() ? sampled.toJson() : sampled.toText());
      return ExitCode.OK.status();
    }
    DecisionReport report = DecisionBenchmark.run(load);
    System.out.println(json.given() ? report.toJson() : report.toText());
    return ExitCode.OK.status();
  }
}
