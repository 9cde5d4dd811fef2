package dev.colony.deploy.cli;

import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Says yes to something that an agent asks for. */
@Command(
    name = "approve",
    mixinStandardHelpOptions = true,
    description = {
      "Says yes to something that an agent asks for.",
      "./colony agents show AGENT tells what it asks for.",
    })
final class ApproveCommand implements Callable<Integer> {

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "REQUEST",
      description = "What it asks for; may be left out if that is one thing only.")
  private Optional<String> request;

  @Mixin private TellOptions options;

  @Mixin private AnswerOptions answer;

  @Override
  public Integer call() {
    return options.tell(
        (telling, agent) -> telling.answer(agent, request, true, answer.by(), answer.note()));
  }
}
