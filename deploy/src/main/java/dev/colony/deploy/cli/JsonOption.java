package dev.colony.deploy.cli;

import picocli.CommandLine.Option;

/** The option of every command that can print for programs. */
final class JsonOption {

  @Option(names = "--json", description = "Prints one JSON object instead of text.")
  private boolean json;

  boolean given() {
    return json;
  }
}
