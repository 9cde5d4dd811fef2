package dev.colony.bench.command;

import dev.colony.cli.CommandLog;
import dev.colony.cli.JsonOption;
import dev.colony.cli.RunNames;
import dev.colony.cli.StateOption;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.StateDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the benches have in common that start nodes of their own. */
final class BenchOptions {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "HOCON whose keys override the defaults of the reference.conf files.")
  private Path config;

  @Mixin private JsonOption json;

  @Mixin private StateOption state;

  /**
   * The file of settings, if one is given.
   *
   * @throws CommandFailure if it cannot be read
   */
  Optional<Path> config() {
    if (config != null && !Files.isReadable(config)) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "--config " + config + ": cannot be read");
    }
    return Optional.ofNullable(config);
  }

  /** A directory for this run of a bench, which does not exist; the log begins. */
  Path directory() {
    StateDirectory opened = state.open();
    CommandLog.into(opened, "bench");
    return opened.root().resolve("bench").resolve(RunNames.next().value());
  }

  boolean json() {
    return json.given();
  }
}
