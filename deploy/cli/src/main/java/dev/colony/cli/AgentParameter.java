package dev.colony.cli;

import dev.colony.agent.AgentId;
import picocli.CommandLine.Parameters;

/** The agent that a command is about: its first word. */
final class AgentParameter {

  @Parameters(
      index = "0",
      paramLabel = "AGENT",
      converter = AgentWords.Id.class,
      description = "For example acme/billing/reviewer.")
  private AgentId id;

  AgentId id() {
    return id;
  }
}
