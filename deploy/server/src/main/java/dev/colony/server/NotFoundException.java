package dev.colony.server;

/** The agent, run or event that a caller names is not there; the message says which in one line. */
public final class NotFoundException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public NotFoundException(String message) {
    super(message);
  }
}
