package dev.colony.deploy.cli;

import dev.colony.blackboard.server.Fsync;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.bench.StepsBenchmark;
import dev.colony.deploy.bench.StepsLoad;
import dev.colony.deploy.bench.StepsReport;
import dev.colony.deploy.local.StateDirectory;
import dev.colony.deploy.node.NodeConfig;
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
      names = "--resume",
      paramLabel = "RUN",
      description = "Goes on with a benchmark that was killed; the other options must be the same.")
  private String resume;

  @Mixin private JsonOption json;

  @Mixin private StateOption stateOption;

  @Override
  public Integer call() {
    BenchCommand.check("--agents", agents, 1, 100_000);
    BenchCommand.check("--steps", steps, 1, 1_000);
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
    System.err.println("running; if it is killed: colony bench steps --resume " + runId);
    StepsReport report =
        new StepsBenchmark(directory, NodeConfig.base(Optional.empty()))
            .run(runId, new StepsLoad(agents, steps, payload, fsync), resume != null);
    System.out.println(json.given() ? report.toJson() : report.toText());
    if (!report.whole()) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL, "steps were lost or doubled; the data is kept in " + directory);
    }
    BenchCommand.delete(directory);
    return ExitCode.OK.status();
  }
}
