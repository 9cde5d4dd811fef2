package dev.colony.deploy.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What there is to do about runs that have ended. */
@Command(
    name = "runs",
    mixinStandardHelpOptions = true,
    description = "Deletes what runs that have ended have left on the blackboard.",
    subcommands = RunsPurgeCommand.class)
final class RunsCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "give a command");
  }
}
