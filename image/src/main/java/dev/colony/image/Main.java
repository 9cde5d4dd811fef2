package dev.colony.image;

import picocli.CommandLine;

/** Starts the builder, see {@link ImageCommand}. */
public final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    CommandLine line = new CommandLine(new ImageCommand());
    line.setExecutionExceptionHandler((failure, command, parsed) -> {
      if (failure instanceof ImageFailure known) {
        command.getErr().println("colony: " + known.getMessage());
        return known.status();
      }
      throw failure;
    });
    System.exit(line.execute(arguments));
  }
}
