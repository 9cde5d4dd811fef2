package dev.colony.cli;

import dev.colony.agent.RunId;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends a run as cancelled. */
@Command(
    name = "cancel",
    mixinStandardHelpOptions = true,
    description = {
      "Ends a run of an agent as cancelled, be it under way or waiting.",
      "An action that changes the world outside is finished first.",
    })
final class CancelCommand implements Callable<Integer> {

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "RUN",
      converter = AgentWords.Run.class,
      description = "Which one (default: the one under way).")
  private Optional<RunId> run;

  @Mixin private RunOption where;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      defaultValue = "cancelled at the command line",
      description = "Becomes the run's error (default: ${DEFAULT-VALUE}).")
  private String reason;

  @Mixin private SignalOptions options;

  @Override
  public Integer call() {
    return options.tell((telling, agent) -> telling.cancel(agent, run, where.namespace(), reason));
  }
}
