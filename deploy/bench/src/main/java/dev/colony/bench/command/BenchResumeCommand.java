package dev.colony.bench.command;

import dev.colony.bench.resume.ResumeBenchmark;
import dev.colony.bench.resume.ResumeLoad;
import dev.colony.bench.resume.ResumeReport;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.settings.CommandConfig;
import dev.colony.cli.terminal.Progress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures how soon suspended agents go on. */
@Command(
    name = "resume",
    mixinStandardHelpOptions = true,
    description = {
      "How soon suspended agents go on, on a node that has never held them, and what they leave "
          + "on the heap of the one that has.",
      "Counted from when the signal was to be written until it is durable that the agent runs; "
          + "beside it the bare round trips to the same Redis.",
    })
final class BenchResumeCommand implements Callable<Integer> {

  @Option(
      names = "--agents",
      paramLabel = "N",
      defaultValue = "1000",
      description =
          "Resumed by a resume command, and as many by what they wait for (default: "
              + "${DEFAULT-VALUE}).")
  private int agents;

  @Option(
      names = "--steps",
      paramLabel = "N",
      defaultValue = "50",
      description = "That each agent has behind it (default: ${DEFAULT-VALUE}).")
  private int steps;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "100",
      description = "Agents resumed in a second (default: ${DEFAULT-VALUE}).")
  private int rate;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() {
    BenchCommand.check("--agents", agents, 1, 100_000);
    BenchCommand.check("--steps", steps, 1, 900);
    BenchCommand.check("--rate", rate, 1, 10_000);
    Optional<Path> config = options.config();
    Path directory = options.directory();
    ResumeReport report;
    try (Progress progress = Progress.onStandardError()) {
      report =
          new ResumeBenchmark(directory, CommandConfig.base(config), progress)
              .run(new ResumeLoad(agents, steps, rate));
    }
    System.out.println(options.json() ? report.toJson() : report.toText());
    BenchCommand.delete(directory);
    return ExitCode.OK.status();
  }
}
