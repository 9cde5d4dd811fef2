package dev.colony.deploy.cli;

import dev.colony.agent.RunId;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.local.Cluster;
import java.util.function.Supplier;

/** On Ctrl-C or SIGTERM: ends what the command started and says how to go on with the run. */
final class InterruptGuard implements AutoCloseable {

  private final OnExit onExit;
  private volatile boolean resumable;
  private volatile boolean interrupted;

  InterruptGuard(Cluster cluster, RunId runId) {
    onExit =
        OnExit.run(() -> {
          interrupted = true;
          System.err.println(
              resumable
                  ? "colony: interrupted; go on with: colony run --resume " + runId
                  : "colony: interrupted before the run was stored");
          cluster.close();
        });
  }

  /** From here on the run is stored. */
  void resumable() {
    resumable = true;
  }

  /**
   * Does the command's work. What fails once the command is being ended fails because of that, and
   * the user has been told already.
   *
   * @throws CommandFailure for an interrupt then
   */
  <T> T unlessInterrupted(Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException failure) {
      throw interrupted
          ? new CommandFailure(ExitCode.INTERRUPTED, "interrupted", failure)
          : failure;
    }
  }

  @Override
  public void close() {
    onExit.close();
  }
}
