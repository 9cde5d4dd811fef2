package dev.colony.cli;

import dev.colony.cli.local.StateDirectory;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option of every command that works with a local cluster. */
public final class StateOption {

  @Option(
      names = "--state",
      paramLabel = "DIR",
      defaultValue = "${env:COLONY_STATE:-${sys:user.home}/.colony}",
      description = "Where Redis, logs and records are kept (default: ${DEFAULT-VALUE}).")
  private Path directory;

  /** Creates the directory where it is missing. */
  public StateDirectory open() {
    return StateDirectory.open(directory);
  }
}
