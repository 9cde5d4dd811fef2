package dev.colony.bench.command;

import dev.colony.bench.HistoryReport;
import dev.colony.bench.StepsBenchmark;
import dev.colony.bench.StepsLoad;
import dev.colony.bench.StepsReport;
import dev.colony.blackboard.server.Fsync;
import dev.colony.cli.CommandLog;
import dev.colony.cli.JsonOption;
import dev.colony.cli.RunNames;
import dev.colony.cli.StateOption;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.settings.CommandConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures durable steps per second. */
@Command(
    name = "steps",
    mixinStandardHelpOptions = true,
    description = {
      "Durable steps per second of agents with a scripted policy and a fake model.",
      "A step journals the model's reply, then the action's outcome; beside it the most appends "
          + "that the same Redis takes.",
    })
final class BenchStepsCommand implements Callable<Integer> {

  @Option(names = "--agents", defaultValue = "200", description = "Default: ${DEFAULT-VALUE}.")
  private int agents;

  @Option(
      names = "--steps",
      defaultValue = "100",
      description = "Steps of each agent (default: ${DEFAULT-VALUE}).")
  private int steps;

  @Option(
      names = "--payload",
      paramLabel = "BYTES",
      defaultValue = "1024",
      description = "Of each model reply (default: ${DEFAULT-VALUE}).")
  private int payload;

  @Option(
      names = "--fsync",
      defaultValue = "always",
      description = "When Redis syncs: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Fsync fsync;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description =
          "How often it is measured, in turns with its ceiling (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--warm-up",
      paramLabel = "ROUNDS",
      defaultValue = "30",
      description =
          "Rounds before, at most: until a step's CPU time has settled (default:"
              + " ${DEFAULT-VALUE}).")
  private int warmUp;

  @Option(
      names = "--history",
      description = {
        "Measures what a step costs by how many steps of its run are behind it: CPU time per step,",
        "up to --steps. Takes few agents and many steps, for example --agents 20 --steps 10000.",
      })
  private boolean history;

  @Option(
      names = "--resume",
      paramLabel = "RUN",
      description = "Goes on with a benchmark that was killed; the other options must be the same.")
  private String resume;

  @Mixin private JsonOption json;

  @Mixin private StateOption stateOption;

  @Override
  public Integer call() {
    BenchCommand.check("--agents", agents, 1, 100_000);
    BenchCommand.check("--steps", steps, 1, history ? 50_000 : 1_000);
    BenchCommand.check("--rounds", rounds, 1, 100);
    BenchCommand.check("--warm-up", warmUp, 0, 1_000);
    if (history && resume != null) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "--history cannot be resumed: begin again");
    }
    BenchCommand.check("--payload", payload, 1, 256 * 1024);
    StateDirectory state = stateOption.open();
    CommandLog.into(state, "bench");
    String runId = resume == null ? RunNames.next().value() : resume;
    Path benchmarks = state.root().resolve("bench");
    Path directory = benchmarks.resolve(runId).normalize();
    // What is resumed is deleted in the end, so it must be a benchmark's directory and no other.
    if (resume != null
        && !(benchmarks.equals(directory.getParent()) && Files.isDirectory(directory))) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "no benchmark " + resume + " to go on with");
    }
    StepsLoad load = new StepsLoad(agents, steps, payload, fsync, rounds, warmUp);
    StepsBenchmark benchmark = new StepsBenchmark(directory, CommandConfig.base(Optional.empty()));
    if (history) {
      HistoryReport report = benchmark.history(runId, load);
      System.out.println(json.given() ? report.toJson() : report.toText());
      BenchCommand.delete(directory);
      return ExitCode.OK.status();
    }
    System.err.println("running; if it is killed: colony bench steps --resume " + runId);
    StepsReport report = benchmark.run(runId, load, resume != null);
    System.out.println(json.given() ? report.toJson() : report.toText());
    if (!report.whole()) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL, "steps were lost or doubled; the data is kept in " + directory);
    }
    BenchCommand.delete(directory);
    return ExitCode.OK.status();
  }
}
