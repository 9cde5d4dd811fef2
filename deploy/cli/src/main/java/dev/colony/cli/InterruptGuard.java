package dev.colony.cli;

import dev.colony.agent.RunId;
import dev.colony.cli.local.OnExit;

/** On Ctrl-C or SIGTERM: says how to go on with a run. */
final class InterruptGuard implements AutoCloseable {

  private final OnExit onExit;
  private volatile boolean resumable;

  /**
   * @param stored whether the run was stored by an earlier command
   * @param again options that a command which goes on with it has to have
   */
  InterruptGuard(RunId runId, boolean stored, String again) {
    resumable = stored;
    onExit =
        OnExit.run(() ->
            OnExit.say(
                resumable
                    ? "interrupted; go on with: colony run --resume " + runId + again
                    : "interrupted: the run had not begun, and nothing of it is stored; give the"
                        + " command again"));
  }

  /** From here on the run is stored. */
  void resumable() {
    resumable = true;
  }

  /** From here on there is nothing to go on with. */
  void answered() {
    onExit.close();
  }

  @Override
  public void close() {
    onExit.close();
  }
}
