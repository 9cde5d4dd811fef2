package dev.colony.bench.command;

import dev.colony.bench.PlacementBenchmark;
import dev.colony.bench.PlacementReport;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Progress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures how many agents are placed where their pages are. */
@Command(
    name = "placement",
    mixinStandardHelpOptions = true,
    description = {
      "How many agents make their first call where their pages are, by policy of placement.",
      "For each policy starts a cluster of its own, warms the nodes' embedded replicas unevenly by "
          + "an earlier run, then creates an agent for each group of pages.",
    })
final class BenchPlacementCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..1",
      paramLabel = "PATH",
      defaultValue = ".",
      description = "The source tree whose pages are read (default: the current directory).")
  private Path path;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "2 to 16, each a JVM of its own (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--groups",
      paramLabel = "N",
      defaultValue = "120",
      description = "Groups of pages at most, an agent each (default: ${DEFAULT-VALUE}).")
  private int groups;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() {
    BenchCommand.check("--nodes", nodes, 2, 16);
    BenchCommand.check("--groups", groups, 1, 10_000);
    Optional<Path> config = options.config();
    Path directory = options.directory();
    try (Progress progress = Progress.onStandardError()) {
      PlacementReport report =
          new PlacementBenchmark(directory, config, progress).run(path, nodes, groups);
      System.out.println(options.json() ? report.toJson() : report.toText());
    }
    BenchCommand.delete(directory);
    return ExitCode.OK.status();
  }
}
