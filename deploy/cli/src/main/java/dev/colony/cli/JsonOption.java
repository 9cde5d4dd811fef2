package dev.colony.cli;

import picocli.CommandLine.Option;

/** The option of every command that can print for programs. */
public final class JsonOption {

  @Option(names = "--json", description = "Prints one JSON object instead of text.")
  private boolean json;

  /** Whether it is given. */
  public boolean given() {
    return json;
  }
}
