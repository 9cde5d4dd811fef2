package dev.colony.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says yes to something that an agent asks for. */
@Command(
    name = "approve",
    mixinStandardHelpOptions = true,
    description = {
      "Says yes to something that an agent asks for.",
      "./colony agents show AGENT tells what it asks for.",
    })
final class ApproveCommand implements Callable<Integer> {

  @Mixin private AnswerOptions answer;

  @Override
  public Integer call() {
    return answer.give(true);
  }
}
