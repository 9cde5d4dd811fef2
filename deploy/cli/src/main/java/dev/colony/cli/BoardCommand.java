package dev.colony.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Looks at the blackboard and writes to it. */
@Command(
    name = "board",
    mixinStandardHelpOptions = true,
    description = {
      "Looks at the blackboard and writes to it.",
      "A SCOPE is a path: tenant:T, then :colony:C, then :agent:A or :session:S, then :namespace:N,"
          + " each but the first as far as it applies.",
    },
    subcommands = {
      BoardListCommand.class,
      BoardGetCommand.class,
      BoardPutCommand.class,
      BoardDeleteCommand.class,
      BoardClearCommand.class,
      BoardWatchCommand.class,
      BoardHistoryCommand.class,
    })
final class BoardCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do with the blackboard");
  }
}
