package dev.colony.cli;

import java.time.Duration;
import picocli.CommandLine.Option;

/** How long a command waits for an agent to take what it is told. */
final class WaitOption {

  @Option(
      names = "--wait",
      paramLabel = "PERIOD",
      defaultValue = "10s",
      converter = BoardWords.Period.class,
      description =
          "How long to wait until the agent has taken it; it will, in any case (default:"
              + " ${DEFAULT-VALUE}).")
  private Duration period;

  Duration period() {
    return period;
  }
}
