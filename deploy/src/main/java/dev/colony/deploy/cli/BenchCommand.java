package dev.colony.deploy.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures, beside a ceiling or a peer of the same run. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Measures a part of the system beside a ceiling or a peer of the same run.",
    subcommands = {BenchStepsCommand.class})
final class BenchCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to measure");
  }
}
