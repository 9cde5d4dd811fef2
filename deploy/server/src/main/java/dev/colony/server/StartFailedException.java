package dev.colony.server;

import java.net.BindException;

/**
 * A node, or a part of one, could not be started where its configuration is sound. The message is
 * one line that says why and what to do. What had been started is closed by the one that started
 * it.
 */
public final class StartFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What kept it from starting. */
  public enum Reason {
    /** Another process listens on a port that it needs. */
    PORT_IN_USE,
    /** It was not ready in time, or the cluster does not let it in. */
    NOT_READY,
    /** The thread that started it was interrupted. */
    INTERRUPTED
  }

  private final Reason reason;

  public StartFailedException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /**
   * A start that failed, in the operator's words where another process has the port.
   *
   * @param words which port, and what to do
   */
  public static RuntimeException orPortTaken(RuntimeException failure, String words) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        return new StartFailedException(Reason.PORT_IN_USE, words, failure);
      }
    }
    return failure;
  }

  public Reason reason() {
    return reason;
  }
}
