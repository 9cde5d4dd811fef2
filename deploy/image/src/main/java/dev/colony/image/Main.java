package dev.colony.image;

import picocli.CommandLine;

/** Starts the builder, see {@link ImageCommand}. */
public final class Main {

  private static final int INTERRUPTED = 130;

  private Main() {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** Says in one line what cannot be done. */
  static CommandLine commandLine() {
    return new CommandLine(new ImageCommand())
        .setExecutionExceptionHandler((failure, command, parsed) -> {
          if (AtExit.begun()) {
            return INTERRUPTED;
          }
          if (failure instanceof ImageFailure known) {
            command.getErr().println("colony: " + known.getMessage());
            return known.status();
          }
          throw failure;
        });
  }
}
