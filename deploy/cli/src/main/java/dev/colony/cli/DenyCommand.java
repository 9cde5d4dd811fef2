package dev.colony.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says no to something that an agent asks for. */
@Command(
    name = "deny",
    mixinStandardHelpOptions = true,
    description = {
      "Says no to something that an agent asks for.",
      "./colony agents show AGENT tells what it asks for.",
    })
final class DenyCommand implements Callable<Integer> {

  @Mixin private AnswerOptions answer;

  @Override
  public Integer call() {
    return answer.give(false);
  }
}
