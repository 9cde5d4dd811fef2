package dev.colony.cli.terminal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jline.utils.Signals;

/**
 * Something to do if the process ends by Ctrl-C, SIGTERM or the end of its terminal before this is
 * closed.
 *
 * <p>The process waits for such work, which stops servers and may take seconds. A person who does
 * not wait presses Ctrl-C again: what the process has started is killed then, and it ends at once.
 */
public final class OnExit implements AutoCloseable {

  private static final int INTERRUPTED = 130;

  private static final AtomicBoolean BEGUN = new AtomicBoolean();
  private static final Set<Runnable> AT_ONCE = ConcurrentHashMap.newKeySet();

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
              if (BEGUN.compareAndSet(false, true)) {
                Signals.register("INT", OnExit::endAtOnce);
              }
              work.run();
            },
            "interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
    return new OnExit(hook);
  }

  /**
   * Something to do at the second Ctrl-C, until what is returned is closed. For what outlives the
   * process by itself: child processes are killed in any case.
   *
   * @param work must not wait for other work
   */
  public static AutoCloseable atOnce(Runnable work) {
    AT_ONCE.add(work);
    return () -> AT_ONCE.remove(work);
  }

  /** Ends the process as Ctrl-C does where nothing else takes it. */
  public static void interrupt() {
    System.exit(INTERRUPTED);
  }

  /** Whether the process ends so: what fails from here on fails because of that. */
  public static boolean begun() {
    return BEGUN.get();
  }

  /** Says something on standard error as the process ends, on a line of its own. */
  public static void say(String line) {
    // Something may stand on the line: a progress bar, half an answer, the echo of the keys.
    String begin = Boolean.getBoolean("colony.terminal") ? System.lineSeparator() : "";
    System.err.println(begin + "colony: " + line);
  }

  private static void endAtOnce() {
    try {
      ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
      AT_ONCE.forEach(Runnable::run);
    } finally {
      Runtime.getRuntime().halt(INTERRUPTED);
    }
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
