package dev.colony.bench.command;

import dev.colony.bench.plan.PlanLoad;
import dev.colony.bench.plan.PlanReport;
import dev.colony.cli.CommandLog;
import dev.colony.cli.JsonOption;
import dev.colony.cli.StateOption;
import dev.colony.cli.exit.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures what plans save of prompts and of model calls. */
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    description = {
      "What agents that a model plans for take, beside plainer ways to do the same.",
      "Prompt tokens that a plan's actions compute in the cache-aware order and in the plan's own; "
          + "how much of each prompt is the beginning of the one before; model calls a finished "
          + "task, with a plan and without. A scripted model over HTTP, no time is measured: the "
          + "same options always give the same figures.",
    })
final class BenchPlanCommand implements Callable<Integer> {

  @Option(
      names = "--parts",
      paramLabel = "N",
      defaultValue = "12",
      description = "That the plan works on, two pages each (default: ${DEFAULT-VALUE}).")
  private int parts;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "4",
      description = "Of the plan over all parts (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--steps",
      paramLabel = "N",
      defaultValue = "30",
      description =
          "Prompts of each agent that are held against each other (default: ${DEFAULT-VALUE}).")
  private int steps;

  @Option(
      names = "--tasks",
      paramLabel = "N",
      defaultValue = "40",
      description = "To be finished with a plan and without (default: ${DEFAULT-VALUE}).")
  private int tasks;

  @Mixin private JsonOption json;

  @Mixin private StateOption state;

  @Override
  public Integer call() {
    BenchCommand.check("--parts", parts, 1, 64);
    BenchCommand.check("--rounds", rounds, 1, 64);
    BenchCommand.check("--parts times --rounds", parts * rounds, 1, 256);
    BenchCommand.check("--steps", steps, 2, 200);
    BenchCommand.check("--tasks", tasks, 1, 10_000);
    CommandLog.into(state.open(), "bench");
    PlanReport report = PlanReport.measure(new PlanLoad(parts, rounds, steps, tasks));
    System.out.println(json.given() ? report.toJson() : report.toText());
    return ExitCode.OK.status();
  }
}
