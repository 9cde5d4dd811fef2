package dev.colony.bench.command;

import dev.colony.bench.failover.FailoverBenchmark;
import dev.colony.bench.failover.FailoverLoad;
import dev.colony.bench.failover.FailoverReport;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Progress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures how long agents are away when their node ends. */
@Command(
    name = "failover",
    mixinStandardHelpOptions = true,
    description = {
      "How long agents are away when their node is killed or told to leave, of three nodes.",
      "Counted until all agents that lived there have answered a new run. Then all nodes are "
          + "restarted, one after the other, while agents are asked at an even rate.",
    })
final class BenchFailoverCommand implements Callable<Integer> {

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Nodes that are killed, and as many told to leave (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--agents",
      paramLabel = "N",
      defaultValue = "60",
      description = "On all nodes together (default: ${DEFAULT-VALUE}).")
  private int agents;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "20",
      description = "Requests a second during the rolling restart (default: ${DEFAULT-VALUE}).")
  private int rate;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() {
    BenchCommand.check("--rounds", rounds, 1, 100);
    BenchCommand.check("--agents", agents, 3, 10_000);
    BenchCommand.check("--rate", rate, 1, 1_000);
    Optional<Path> config = options.config();
    Path directory = options.directory();
    FailoverReport report;
    try (Progress progress = Progress.onStandardError()) {
      report =
          new FailoverBenchmark(directory, config, progress)
              .run(new FailoverLoad(rounds, agents, rate));
    }
    System.out.println(options.json() ? report.toJson() : report.toText());
    if (!report.whole()) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL, "requests failed; the logs are kept in " + directory);
    }
    BenchCommand.delete(directory);
    return ExitCode.OK.status();
  }
}
