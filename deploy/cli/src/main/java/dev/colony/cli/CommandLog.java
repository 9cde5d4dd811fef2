package dev.colony.cli;

import dev.colony.cli.local.StateDirectory;

/** Sends a command's log to a file; to be called before anything logs. */
public final class CommandLog {

  private CommandLog() {}

  /**
   * @param command names the file
   */
  public static void into(StateDirectory state, String command) {
    System.setProperty("colony.log.file", state.log("colony-" + command).toString());
    System.setProperty("logback.configurationFile", "logback-file.xml");
  }
}
