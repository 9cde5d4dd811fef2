package dev.colony.cli;

import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes an agent that begins with another's past. */
@Command(
    name = "fork",
    mixinStandardHelpOptions = true,
    description = {
      "Makes an agent that begins with another's past, and starts it.",
      "It inherits what the other knew and had done, and nothing that was under way.",
    })
final class ForkCommand implements Callable<Integer> {

  @Parameters(
      index = "1",
      paramLabel = "NAME",
      converter = AgentWords.Name.class,
      description = "Of the new agent, in the same colony.")
  private String name;

  @Option(
      names = "--at",
      paramLabel = "N",
      description =
          "The number of the last event that it inherits, as agents steps shows it"
              + " (default: the last one there is).")
  private Optional<Long> at;

  @Mixin private SignalOptions options;

  @Override
  public Integer call() {
    return options.tell((telling, agent) -> telling.fork(agent, at, name));
  }
}
