package dev.colony.server;

/**
 * A setting, a file that one names, or what stands on the class path cannot be used. The message is
 * one line that names it, and what to change. Nothing has been started.
 */
public final class InvalidConfigurationException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public InvalidConfigurationException(String message) {
    super(message);
  }

  public InvalidConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
