package dev.colony.cli;

import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.NodeSupervisor;
import dev.colony.cli.local.StateDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts the nodes of {@code up} again that die. */
@Command(
    name = "supervise",
    hidden = true,
    description = "Starts the nodes of a state directory again that die; up leaves it behind.")
final class SuperviseCommand implements Callable<Integer> {

  @Mixin private StateOption stateOption;

  @Option(names = "--config", paramLabel = "FILE", description = "What the nodes are started with.")
  private Path config;

  @Option(names = "--jvm-option", paramLabel = "OPTION", description = "Of the nodes' JVMs.")
  private List<String> jvmOptions = List.of();

  @Override
  public Integer call() {
    StateDirectory state = stateOption.open();
    CommandLog.into(state, "supervisor");
    NodeSupervisor.supervise(state, Optional.ofNullable(config), jvmOptions);
    return ExitCode.OK.status();
  }
}
