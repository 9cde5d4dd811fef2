package dev.colony.cli;

import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Stops the cluster that {@code up} started. */
@Command(
    name = "down",
    mixinStandardHelpOptions = true,
    description = "Stops the cluster of the state directory; what it did stays on the disk.")
final class DownCommand implements Callable<Integer> {

  @Mixin private StateOption stateOption;

  @Override
  public Integer call() {
    StateDirectory state = stateOption.open();
    CommandLog.into(state, "down");
    boolean stopped =
        new ClusterLauncher(state, Optional.empty(), line -> System.err.println("colony: " + line))
            .down();
    System.out.println(stopped ? "stopped" : "nothing is up in " + state.root());
    return ExitCode.OK.status();
  }
}
