package dev.colony.bench;

import dev.colony.cli.AddedCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "bench",
    description = "Measures a part of the system beside a ceiling or a peer of the same run.",
    subcommands = {
      StepsBench.class,
      BoardBench.class,
      FailoverBench.class,
      LeasesBench.class,
      ResumeBench.class,
      GatewayBench.class,
      ReplicasBench.class,
      AnswersBench.class,
      ScheduleBench.class
    })
public final class BenchCommand implements AddedCommand, Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to measure");
  }
}
