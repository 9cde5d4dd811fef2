package dev.colony.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells an agent that something has happened. */
@Command(
    name = "signal",
    mixinStandardHelpOptions = true,
    description = "Tells an agent that something has happened that it may wait for by a name.")
final class SignalCommand implements Callable<Integer> {

  @Parameters(
      index = "1",
      paramLabel = "NAME",
      converter = AgentWords.Signal.class,
      description = "As the agent, or the caller who suspended it, calls it.")
  private String name;

  @Option(names = "--reason", paramLabel = "TEXT", description = "For people, one line.")
  private String reason = "";

  @Mixin private SignalOptions options;

  @Override
  public Integer call() {
    return options.tell((telling, agent) -> telling.signal(agent, name, reason));
  }
}
