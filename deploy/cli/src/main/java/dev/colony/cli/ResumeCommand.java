package dev.colony.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Has a suspended agent go on. */
@Command(
    name = "resume",
    mixinStandardHelpOptions = true,
    description = "Has an agent go on from where it was suspended, whatever it waits for.")
final class ResumeCommand implements Callable<Integer> {

  @Option(names = "--reason", paramLabel = "TEXT", description = "For people, one line.")
  private String reason = "";

  @Mixin private SignalOptions options;

  @Override
  public Integer call() {
    return options.tell((telling, agent) -> telling.resume(agent, reason));
  }
}
