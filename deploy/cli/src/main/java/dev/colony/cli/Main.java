package dev.colony.cli;

import java.util.logging.Level;
import java.util.logging.Logger;

/** The entry point of every process: the command line and the nodes. */
public final class Main {

  /** Kept, because the logging library forgets a level whose logger is held nowhere. */
  private static final Logger LUCENE = Logger.getLogger("org.apache.lucene");

  private Main() {}

  public static void main(String[] arguments) {
    LUCENE.setLevel(Level.SEVERE);
    System.exit(ColonyCommand.execute(arguments));
  }
}
