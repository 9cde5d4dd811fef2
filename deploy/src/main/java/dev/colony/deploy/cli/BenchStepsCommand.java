package dev.colony.deploy.cli;

import dev.colony.deploy.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "steps")
final class BenchStepsCommand implements Callable<Integer> {
  @Override
  public Integer call() {
    return ExitCode.OK.status();
  }
}
