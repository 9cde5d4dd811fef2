package dev.colony.deploy.cli;

/** Something to do if the process ends by Ctrl-C or SIGTERM before this is closed. */
final class OnExit implements AutoCloseable {

  private final Thread hook;

  private OnExit(Thread hook) {
    this.hook = hook;
  }

  /**
   * @param work must end soon: the process waits for it
   */
  static OnExit run(Runnable work) {
    Thread hook = new Thread(work, "interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
    return new OnExit(hook);
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // the hook runs already and does its work
    }
  }
}
