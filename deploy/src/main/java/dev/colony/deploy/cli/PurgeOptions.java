package dev.colony.deploy.cli;

import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a purge is told besides whom it is of. */
final class PurgeOptions {

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      converter = BoardWords.Period.class,
      description = "Only what ended so long ago, for example 7d; default: whatever has ended.")
  private Optional<Duration> olderThan;

  @Option(names = "--dry-run", description = "Says what would go, and changes nothing.")
  private boolean dryRun;

  Duration olderThan() {
    return olderThan.orElse(Duration.ZERO);
  }

  boolean dryRun() {
    return dryRun;
  }

  /** How a line about what has gone, or would, begins. */
  String done() {
    return dryRun ? "would purge " : "purged ";
  }
}
