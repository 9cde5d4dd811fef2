package dev.colony.cli;

import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A person's word on something that an agent asks for, and whom it is given to. */
final class AnswerOptions {

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "REQUEST",
      description = "What it asks for; may be left out if that is one thing only.")
  private Optional<String> request;

  @Mixin private SignalOptions options;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name}",
      description = "Who answers (default: ${DEFAULT-VALUE}).")
  private String by;

  @Option(names = "--note", paramLabel = "TEXT", description = "For the run, one line.")
  private String note = "";

  /** Gives it, and says what became of it. */
  int give(boolean granted) {
    return options.tell((telling, agent) -> telling.answer(agent, request, granted, by, note));
  }
}
