package dev.colony.cli;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * In which form this process logs. The logging library takes it from the environment itself, before
 * anything of ours runs; a form that it does not know would be no log at all.
 */
final class LogFormat {

  private static final String VARIABLE = "COLONY_LOG_FORMAT";
  private static final List<String> KNOWN = List.of("text", "json");

  private LogFormat() {}

  /**
   * Looks whether there will be a log.
   *
   * @throws CommandFailure if the environment names an unknown form
   */
  static void check(Map<String, String> environment) {
    Optional<String> unknown =
        Optional.ofNullable(environment.get(VARIABLE)).filter(format -> !KNOWN.contains(format));
    if (unknown.isPresent()) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          VARIABLE + " is " + unknown.get() + ", but must be one of " + String.join(", ", KNOWN));
    }
  }
}
