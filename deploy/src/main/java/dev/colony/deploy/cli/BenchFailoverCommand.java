package dev.colony.deploy.cli;

import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.ask.Progress;
import dev.colony.deploy.bench.failover.FailoverBenchmark;
import dev.colony.deploy.bench.failover.FailoverLoad;
import dev.colony.deploy.bench.failover.FailoverReport;
import dev.colony.deploy.local.StateDirectory;
import java.nio.file.Files;
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

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "HOCON whose keys override the defaults of the reference.conf files.")
  private Path config;

  @Mixin private JsonOption json;

  @Mixin private StateOption stateOption;

  @Override
  public Integer call() {
    BenchCommand.check("--rounds", rounds, 1, 100);
    BenchCommand.check("--agents", agents, 3, 10_000);
    BenchCommand.check("--rate", rate, 1, 1_000);
    if (config != null && !Files.isReadable(config)) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "--config " + config + ": cannot be read");
    }
    StateDirectory state = stateOption.open();
    CommandLog.into(state, "bench");
    Path directory = state.root().resolve("bench").resolve(RunNames.next().value());
    FailoverReport report;
    try (Progress progress = Progress.onStandardError()) {
      report =
          new FailoverBenchmark(directory, Optional.ofNullable(config), progress)
              .run(new FailoverLoad(rounds, agents, rate));
    }
    System.out.println(json.given() ? report.toJson() : report.toText());
    if (!report.whole()) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL, "requests failed; the logs are kept in " + directory);
    }
    BenchCommand.delete(directory);
    return ExitCode.OK.status();
  }
}
