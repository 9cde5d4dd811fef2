package dev.colony.cli.local;

/** Something to do if the process ends by Ctrl-C or SIGTERM before this is closed. */
public final class OnExit implements AutoCloseable {

  private static volatile boolean begun;

  private final Thread hook;

  private OnExit(Thread hook) {
    this.hook = hook;
  }

  /**
   * @param work must end soon: the process waits for it. Runs beside that of others
   */
  public static OnExit run(Runnable work) {
    Thread hook =
        new Thread(
            () -> {
              begun = true;
              work.run();
            },
            "interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
    return new OnExit(hook);
  }

  /** Whether the process ends so: what fails from here on fails because of that. */
  public static boolean begun() {
    return begun;
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
