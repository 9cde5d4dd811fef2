package dev.colony.cli;

import ch.qos.logback.core.OutputStreamAppender;
import java.io.PrintStream;

/**
 * Logs to what standard output was when logging began: a test that keeps what a command prints for
 * itself gets no lines of the nodes that run in the same JVM.
 */
public final class FirstOutAppender<E> extends OutputStreamAppender<E> {

  private static final PrintStream FIRST = System.out;

  @Override
  public void start() {
    setOutputStream(FIRST);
    super.start();
  }

  @Override
  protected void closeOutputStream() {
    // It is the JVM's.
  }
}
