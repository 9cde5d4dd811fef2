package dev.colony.cli;

import dev.colony.blackboard.Blackboard;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deletes all entries of a scope. */
@Command(
    name = "clear",
    mixinStandardHelpOptions = true,
    description = "Deletes all entries of a scope; its stored events stay.")
final class BoardClearCommand implements Callable<Integer> {

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
