package dev.colony.cli;

import java.util.Optional;
import picocli.CommandLine.Option;

/** Where a run is looked for. */
final class RunOption {

  @Option(
      names = "--namespace",
      paramLabel = "N",
      converter = AgentWords.Name.class,
      description = "That the run was asked for in (default: it is looked for).")
  private Optional<String> namespace;

  Optional<String> namespace() {
    return namespace;
  }
}
