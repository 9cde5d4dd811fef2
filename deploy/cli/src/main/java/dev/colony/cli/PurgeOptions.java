package dev.colony.cli;

import dev.colony.blackboard.Scope;
import dev.colony.server.agents.AgentsReader;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which colonies a purge is for, and what of them may go. */
final class PurgeOptions {

  @Mixin private ColonyFilter of;

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      converter = BoardWords.Period.class,
      description = "Only what ended so long ago, for example 7d; default: whatever has ended.")
  private Optional<Duration> olderThan;

  @Option(names = "--dry-run", description = "Says what would go, and changes nothing.")
  private boolean dryRun;

  /** Whether it is for the colonies of a tenant or of a name. */
  boolean ofColonies() {
    return of.tenant().isPresent() || of.colony().isPresent();
  }

  /**
   * Goes through these colonies page by page.
   *
   * @param page purges one page of a colony, from where the page before ended, and says where the
   *     next one begins
   */
  <A> void eachPage(AgentsReader view, BiFunction<Scope, Optional<A>, Optional<A>> page) {
    for (Scope colony : view.colonies(of.tenant(), of.colony())) {
      Optional<A> after = Optional.empty();
      do {
        after = page.apply(colony, after);
      } while (after.isPresent());
    }
  }

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
