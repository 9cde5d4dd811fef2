package dev.colony.cli;

import dev.colony.blackboard.Blackboard;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
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
      BoardCommand.BoardDeleteCommand.class,
      BoardCommand.BoardClearCommand.class,
      BoardWatchCommand.class,
      BoardHistoryCommand.class,
    })
final class BoardCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do with the blackboard");
  }

  /** Deletes all entries of a scope. */
  @Command(
      name = "clear",
      mixinStandardHelpOptions = true,
      description = "Deletes all entries of a scope; its stored events stay.")
  static final class BoardClearCommand implements Callable<Integer> {

    @Mixin private ScopeParameter on;

    @Option(names = "--yes", description = "That this is meant.")
    private boolean meant;

    @Mixin private BoardOptions board;

    @Override
    public Integer call() {
      if (!meant) {
        throw new CommandFailure(
            ExitCode.BAD_INPUT, "this deletes all entries of " + on.scope() + ": say --yes");
      }
      long deleted = board.ask(on.scope(), Blackboard::clear);
      System.out.println(deleted + " entries deleted");
      return ExitCode.OK.status();
    }
  }

  /** Deletes an entry. */
  @Command(name = "delete", mixinStandardHelpOptions = true, description = "Deletes an entry.")
  static final class BoardDeleteCommand implements Callable<Integer> {

    @Mixin private ScopeParameter on;

    @Parameters(index = "1", paramLabel = "KEY", converter = BoardWords.Key.class)
    private String key;

    @Mixin private BoardOptions board;

    @Override
    public Integer call() {
      if (!board.ask(on.scope(), opened -> opened.delete(key))) {
        throw new CommandFailure(ExitCode.UNSUCCESSFUL, "no entry " + key + " in " + on.scope());
      }
      System.out.println("deleted");
      return ExitCode.OK.status();
    }
  }
}
