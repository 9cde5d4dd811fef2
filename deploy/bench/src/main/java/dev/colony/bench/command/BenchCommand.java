package dev.colony.bench.command;

import dev.colony.cli.AddedCommand;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.StateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures, beside a ceiling or a peer of the same run. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Measures a part of the system beside a ceiling or a peer of the same run.",
    subcommands = {
      BenchStepsCommand.class,
      BenchPlacementCommand.class,
      BenchBoardCommand.class,
      BenchFailoverCommand.class,
      BenchLeasesCommand.class,
      BenchResumeCommand.class,
      BenchGatewayCommand.class,
      BenchEngineCommand.class,
      BenchPlanCommand.class,
      BenchQueryCommand.class,
      BenchMapCommand.class,
      BenchAnswersCommand.class,
      BenchLatencyCommand.class,
      BenchScheduleCommand.class,
      BenchDecisionsCommand.class
    })
public final class BenchCommand implements AddedCommand, Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to measure");
  }

  static void check(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "%s is %d, but must be %d to %d".formatted(option, value, least, most));
    }
  }

  /** Deletes what a benchmark that is done with it has kept. */
  static void delete(Path directory) {
    try {
      StateDirectory.deleteTree(directory);
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot delete " + directory, failure);
    }
  }
}
