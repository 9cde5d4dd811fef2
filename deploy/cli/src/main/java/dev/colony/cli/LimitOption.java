package dev.colony.cli;

import picocli.CommandLine.Option;

/** The option of every command that lists one page. */
final class LimitOption {

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "How many at most, 1 to 10000 (default: ${DEFAULT-VALUE}).")
  private int limit;

  /**
   * How many at most.
   *
   * @throws dev.colony.cli.exit.CommandFailure if that is more than memory takes, or none
   */
  int checked() {
    BoardOptions.checkLimit(limit);
    return limit;
  }
}
