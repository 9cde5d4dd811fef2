package dev.colony.cli;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.settings.CommandConfig;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts a cluster that goes on when the command ends. */
@Command(
    name = "up",
    mixinStandardHelpOptions = true,
    description = {
      "Starts a cluster on this machine that stays until colony down; nodes that die are started"
          + " again.",
      "Where one is up, --nodes adds nodes to it.",
    })
final class UpCommand implements Callable<Integer> {

  private static final int HIGHEST_PORT = 65_535;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Remoting port of the first node, the others' follow (default: free ones).")
  private int port;

  @Mixin private ClusterOptions clusterOptions;
  @Mixin private StateOption stateOption;

  @Override
  public Integer call() {
    int nodes = clusterOptions.nodes();
    if (port < 0 || port + nodes - 1 > HIGHEST_PORT) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "--port is %d, but must be 0 to %d".formatted(port, HIGHEST_PORT - nodes + 1));
    }
    StateDirectory state = stateOption.open();
    CommandLog.into(state, "up");
    Consumer<String> notice = line -> System.err.println("colony: " + line);
    String model =
        ModelCheck.asked(
            clusterOptions.modelUrl(),
            CommandConfig.base(clusterOptions.config()),
            "--model-url:",
            notice);
    UpRecord record =
        new ClusterLauncher(state, clusterOptions.config(), notice)
            .up(
                clusterOptions.nodesGiven() ? OptionalInt.of(nodes) : OptionalInt.empty(),
                port,
                clusterOptions.modelUrl(),
                model);
    StatusCommand.print(state, record);
    return ExitCode.OK.status();
  }
}
