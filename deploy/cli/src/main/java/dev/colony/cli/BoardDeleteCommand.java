package dev.colony.cli;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Deletes an entry. */
@Command(name = "delete", mixinStandardHelpOptions = true, description = "Deletes an entry.")
final class BoardDeleteCommand implements Callable<Integer> {

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
