package dev.colony.cli;

import dev.colony.agent.suspension.ResumptionCondition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Has an agent put its state away. */
@Command(
    name = "suspend",
    mixinStandardHelpOptions = true,
    description = {
      "Has an agent put its state away, until it is resumed or a condition holds.",
      "What it is doing is cut off and done again later; an action that changes the world outside"
          + " is finished first.",
    })
final class SuspendCommand implements Callable<Integer> {

  @Option(names = "--reason", paramLabel = "TEXT", description = "For people, one line.")
  private String reason = "";

  @Option(
      names = "--until",
      paramLabel = "WHAT",
      converter = AgentWords.Until.class,
      description =
          "signal:NAME, approval:NAME, at:TIME, in:PERIOD, ended:AGENT or a condition as"
              + " JSON; given several times, any of them (default: until it is resumed).")
  private List<Function<Instant, ResumptionCondition>> until = List.of();

  @Mixin private SignalOptions options;

  @Override
  public Integer call() {
    return options.tell(
        (telling, agent) -> telling.suspend(agent, reason, condition(telling.now())));
  }

  /**
   * @param now the cluster time, from which periods count
   */
  private Optional<ResumptionCondition> condition(Instant now) {
    List<ResumptionCondition> any = until.stream().map(one -> one.apply(now)).toList();
    return any.size() > 1
        ? Optional.of(new ResumptionCondition.AnyOf(any))
        : any.stream().findFirst();
  }
}
