package dev.colony.bench.command;

import dev.colony.bench.lease.LeaseBenchmark;
import dev.colony.bench.lease.LeaseLoad;
import dev.colony.bench.lease.LeaseReport;
import dev.colony.bench.lease.Mode;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Progress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures what agents gain that are held back by their working sets. */
@Command(
    name = "leases",
    mixinStandardHelpOptions = true,
    description = {
      "How long agents' sessions take whose prompts together are several times the caches of "
          + "three nodes' replicas: with leases, with each call routed by what it costs, and with "
          + "calls that go to the replicas in turn.",
      "The nodes are in this process, and the replicas take the time of an engine. A session is "
          + "counted from when its agent was asked until it had ended; a wait from when a turn "
          + "could begin until it was answered.",
    })
final class BenchLeasesCommand implements Callable<Integer> {

  @Option(
      names = "--agents",
      paramLabel = "N",
      defaultValue = "60",
      description = "On all nodes together (default: ${DEFAULT-VALUE}).")
  private int agents;

  @Option(
      names = "--turns",
      paramLabel = "N",
      defaultValue = "6",
      description = "Of each agent (default: ${DEFAULT-VALUE}).")
  private int turns;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      defaultValue = "2400",
      description = "Of an agent's first prompt (default: ${DEFAULT-VALUE}).")
  private int tokens;

  @Option(
      names = "--pause",
      paramLabel = "MILLIS",
      defaultValue = "2000",
      description = "Between two turns, on average (default: ${DEFAULT-VALUE}).")
  private int pause;

  @Option(
      names = "--overcommit",
      paramLabel = "X",
      defaultValue = "3",
      description = "By how much the prompts exceed the caches (default: ${DEFAULT-VALUE}).")
  private double overcommit;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of texts and pauses (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--modes",
      paramLabel = "MODE",
      split = ",",
      defaultValue = "leases,routed,in_turn",
      description = "By what replicas are chosen (default: ${DEFAULT-VALUE}).")
  private List<Mode> modes;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() {
    BenchCommand.check("--agents", agents, 3, 10_000);
    BenchCommand.check("--turns", turns, 2, 100);
    BenchCommand.check("--tokens", tokens, 100, 100_000);
    BenchCommand.check("--pause", pause, 0, 600_000);
    if (!(overcommit >= 0.1 && overcommit * 9 <= agents)) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "--overcommit is %s, but must be 0.1 to a ninth of --agents".formatted(overcommit));
    }
    LeaseLoad load =
        new LeaseLoad(
            agents, turns, tokens / 8, tokens, tokens / 10, pause, 2 * pause, overcommit, seed);
    Optional<Path> config = options.config();
    Path directory = options.directory();
    LeaseReport report;
    try (Progress progress = Progress.onStandardError()) {
      report = new LeaseBenchmark(directory, config, progress).run(load, modes);
    }
    System.out.println(options.json() ? report.toJson() : report.toText());
    BenchCommand.delete(directory);
    return ExitCode.OK.status();
  }
}
