package dev.colony.cli;

import dev.colony.cli.local.StateDirectory;
import java.nio.file.Path;
import java.util.Optional;
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

  /** The option as it stands in a command for the same state; empty where it is the usual one. */
  String again() {
    Path usual =
        Optional.ofNullable(System.getenv("COLONY_STATE"))
            .map(Path::of)
            .orElseGet(() -> Path.of(System.getProperty("user.home"), ".colony"));
    return directory.equals(usual) ? "" : " --state " + word(directory.toString());
  }

  /** A value as a shell takes it for one word. */
  static String word(String value) {
    return value.matches("[\\w./:@=~+,-]+") ? value : "'" + value.replace("'", "'\\''") + "'";
  }
}
