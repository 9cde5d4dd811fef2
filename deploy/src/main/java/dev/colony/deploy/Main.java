package dev.colony.deploy;

import dev.colony.deploy.cli.ColonyCommand;

/** The entry point of every process: the command line and the nodes. */
public final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    System.exit(ColonyCommand.execute(arguments));
  }
}
