package dev.colony.bench.command;

import dev.colony.bench.gateway.GatewayBenchmark;
import dev.colony.bench.gateway.GatewayLoad;
import dev.colony.bench.gateway.GatewayReport;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.settings.CommandConfig;
import dev.colony.cli.terminal.Progress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures what the inference gateway costs. */
@Command(
    name = "gateway",
    mixinStandardHelpOptions = true,
    description = {
      "What the inference gateway adds to calls of the embedded replica, by its port and over the "
          + "API of a node, beside the same replica asked directly; and streams open at once.",
    })
final class BenchGatewayCommand implements Callable<Integer> {

  private static final int MOST_TIME = 1000;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "16",
      description = "That each have one call under way (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--ops",
      paramLabel = "N",
      defaultValue = "4000",
      description =
          "Calls by each way, at the rate and as fast as clients can (default: ${DEFAULT-VALUE}).")
  private int ops;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "200",
      description = "Calls in a second where latency is measured (default: ${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--streams",
      paramLabel = "N",
      defaultValue = "2000",
      description =
          "Open at once over the API of the node; 0 for none (default: ${DEFAULT-VALUE}).")
  private int streams;

  @Option(
      names = "--replica-time",
      paramLabel = "FACTOR",
      defaultValue = "0",
      description =
          "On the times that the replica models of an accelerator, as calls are answered; 0 takes "
              + "no time (default: ${DEFAULT-VALUE}).")
  private double replicaTime;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() {
    BenchCommand.check("--clients", clients, 1, 10_000);
    BenchCommand.check("--ops", ops, 1, 10_000_000);
    BenchCommand.check("--rate", rate, 1, 100_000);
    BenchCommand.check("--streams", streams, 0, 20_000);
    if (!(replicaTime >= 0 && replicaTime <= MOST_TIME)) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "--replica-time is %s, but must be 0 to %d".formatted(replicaTime, MOST_TIME));
    }
    Optional<Path> config = options.config();
    Path directory = options.directory();
    GatewayReport report;
    try (Progress progress = Progress.onStandardError()) {
      report =
          new GatewayBenchmark(directory, CommandConfig.base(config), progress)
              .run(new GatewayLoad(clients, ops, rate, streams, replicaTime));
    }
    System.out.println(options.json() ? report.toJson() : report.toText());
    BenchCommand.delete(directory);
    return (report.whole() ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }
}
