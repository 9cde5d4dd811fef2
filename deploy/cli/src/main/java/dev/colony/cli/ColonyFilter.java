package dev.colony.cli;

import java.util.Optional;
import picocli.CommandLine.Option;

/** Which colonies' agents a command shows. */
final class ColonyFilter {

  @Option(
      names = "--tenant",
      paramLabel = "T",
      converter = AgentWords.Name.class,
      description = "Only the agents of this tenant.")
  private Optional<String> tenant;

  @Option(
      names = "--colony",
      paramLabel = "C",
      converter = AgentWords.Name.class,
      description = "Only the agents of colonies of this name.")
  private Optional<String> colony;

  Optional<String> tenant() {
    return tenant;
  }

  Optional<String> colony() {
    return colony;
  }
}
