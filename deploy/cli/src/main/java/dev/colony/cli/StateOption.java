package dev.colony.cli;

import dev.colony.cli.local.StateDirectory;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option of every command that works with a local cluster. */
public final class StateOption {

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description = "Where Redis, logs and records are kept (default: ${DEFAULT-VALUE}).")
  private Path directory = StateDirectory.usual();

  /** Creates the directory where it is missing. */
  public StateDirectory open() {
    return StateDirectory.open(directory);
  }

  /** The option as it stands in a command for the same state; empty where it is the usual one. */
  String again() {
    return directory.equals(StateDirectory.usual()) ? "" : " --state " + word(directory.toString());
  }

  /** A value as a shell takes it for one word. */
  static String word(String value) {
    return value.matches("[\\w./:@=~+,-]+") ? value : "'" + value.replace("'", "'\\''") + "'";
  }
}
